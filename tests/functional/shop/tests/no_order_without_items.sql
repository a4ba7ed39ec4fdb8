select order_id
from {{ ref('orders') }}
where count_order_items is null
