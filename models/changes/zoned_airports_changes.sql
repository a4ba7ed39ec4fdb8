{{ config(
    materialized='differential',
    unique_key='icao',
    meta={
        'strategy': 'view',
        'root': 'airports_changes',
        'relations': {
            'airports_changes': {'icao': 'icao'},
            'time_zones_changes': {'tz': 'tz'},
        },
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
