select region, sku, price
from {{ ref('prices') }}
where price_list = '{{ var("price_list") }}'
