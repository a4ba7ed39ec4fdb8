{{ config(
    materialized='differential',
    unique_key='icao',
    strategy='timestamp_delete_flag',
    updated_at='changed_at',
    delete_flag='is_gone',
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
    changed_at,
    is_gone
from {{ ref('stg_airports_stamped') }}
