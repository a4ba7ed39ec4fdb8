with order_items as (
    select * from {{ ref('stg_order_items') }}
),

supplies as (
    select
        product_id,
        sum(supply_cost) as supply_cost
    from {{ ref('stg_supplies') }}
    group by 1
)

select
    order_items.*,
    orders.ordered_at,
    products.product_name,
    products.product_price,
    products.is_food_item,
    products.is_drink_item,
    supplies.supply_cost
from order_items
left join {{ ref('stg_orders') }} as orders on order_items.order_id = orders.order_id
left join {{ ref('stg_products') }} as products on order_items.product_id = products.product_id
left join supplies on order_items.product_id = supplies.product_id
