with items as (
    select
        order_id,
        sum(supply_cost) as order_cost,
        sum(product_price) as order_items_subtotal,
        count(order_item_id) as count_order_items,
        sum(case when is_food_item then 1 else 0 end) as count_food_items
    from {{ ref('order_items') }}
    group by 1
)

select
    orders.*,
    items.order_cost,
    items.order_items_subtotal,
    items.count_order_items,
    items.count_food_items,
    items.count_food_items > 0 as is_food_order
from {{ ref('stg_orders') }} as orders
left join items on orders.order_id = items.order_id
