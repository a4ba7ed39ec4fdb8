select
    md5(concat(id, '-', sku)) as supply_uuid,
    id as supply_id,
    sku as product_id,
    name as supply_name,
    {{ cents_to_dollars('cost') }} as supply_cost,
    perishable as is_perishable_supply
from {{ source('ecom', 'raw_supplies') }}
