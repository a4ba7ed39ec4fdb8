with spent as (
    select
        customer_id,
        count(distinct order_id) as count_lifetime_orders,
        min(ordered_at) as first_ordered_at,
        sum(order_total) as lifetime_spend
    from {{ ref('orders') }}
    group by 1
)

select
    customers.*,
    coalesce(spent.count_lifetime_orders, 0) as count_lifetime_orders,
    spent.first_ordered_at,
    spent.lifetime_spend,
    case when spent.count_lifetime_orders > 1 then 'returning' else 'new' end as customer_type
from {{ ref('stg_customers') }} as customers
left join spent on customers.customer_id = spent.customer_id
