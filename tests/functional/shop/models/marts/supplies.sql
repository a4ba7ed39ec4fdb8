select * from {{ ref('stg_supplies') }}
