{{ config(
    materialized='differential',
    unique_key='icao',
    strategy='ranges',
    range_rows=8000,
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
