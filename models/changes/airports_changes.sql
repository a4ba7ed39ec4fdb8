{{ config(
    materialized='differential',
    unique_key='icao',
    meta={'snapshot_date': 'dump_date'},
) }}

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
    lid,
    dump_date
from {{ ref('stg_airports') }}
