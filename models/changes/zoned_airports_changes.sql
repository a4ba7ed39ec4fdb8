{{ config(
    materialized='differential',
    strategy='view',
    unique_key='icao',
    root='airports_changes',
    relations={
        'airports_changes': {'icao': 'icao'},
        'time_zones_changes': {'tz': 'tz'},
    },
) }}

select
    icao,
    name,
    country,
    elevation,
    tz,
    tz_countries,
    tz_highest
from {{ ref('zoned_airports') }}
