-- The second to last dump as a table, in its own order.
{{ config(materialized='table') }}

select
    icao,
    iata,
    name,
    city,
    subd,
    country,
    elevation,
    lat,
    lon,
    tz,
    lid
from {{ ref('stg_airports') }}
where dump_date = (
    select max(dump_date) from {{ ref('stg_airports') }}
    where dump_date < (select max(dump_date) from {{ ref('stg_airports') }})
)
