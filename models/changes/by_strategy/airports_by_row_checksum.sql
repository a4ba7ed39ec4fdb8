{{ config(
    materialized='differential',
    unique_key='icao',
    strategy='row_checksum',
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
