-- The customers of a supplier of airports: the airports of the first dump, and 150,000 generated ones.
{{ config(materialized='table') }}

with airports as (
    select
        icao as code,
        name,
        country,
        row_number() over (order by icao) as customer_key
    from {{ ref('airports_changes') }}
    where _batch_id = 1
),

others as (
    select
        concat('#', lpad(cast(id as string), 9, '0')) as code,
        concat('Customer ', id) as name,
        upper(substr(md5(cast(id as string)), 1, 2)) as country,
        cast(100000 + id as int) as customer_key
    from range(1, 150001)
),

known as (
    select
        customer_key,
        code,
        name,
        country
    from airports
    union all
    select
        customer_key,
        code,
        name,
        country
    from others
)

select
    customer_key,
    code,
    name,
    country,
    concat(1 + customer_key % 900, ' ', substr(md5(code), 1, 20), ' Road') as address,
    concat('+', 10 + customer_key % 80, '-', lpad(cast(customer_key as string), 9, '0')) as phone,
    element_at(array('AUTOMOBILE', 'BUILDING', 'FURNITURE', 'HOUSEHOLD', 'MACHINERY'), 1 + cast(customer_key % 5 as int)) as segment
from known
