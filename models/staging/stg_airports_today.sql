-- The last dump; with DELTAWAVE_AIRPORTS_DAY, the last one up to that day.
{% set day = env_var('DELTAWAVE_AIRPORTS_DAY', '9999-12-31') -%}

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
where dump_date = (select max(dump_date) from {{ ref('stg_airports') }} where dump_date <= date '{{ day }}')
