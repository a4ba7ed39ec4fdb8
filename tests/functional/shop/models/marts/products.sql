select * from {{ ref('stg_products') }}
