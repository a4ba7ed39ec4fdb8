{{ config(
    materialized='differential',
    unique_key='icao',
    strategy='range_checksum',
    range_rows=100,
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
    lid
from {{ ref('stg_airports_today') }}
