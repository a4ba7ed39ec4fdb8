{{ config(
    materialized='differential',
    unique_key='icao',
    meta={
        'strategy': 'range_checksum',
        'range_rows': 100,
        'remote': 'legacy',
    },
) }}

-- Runs in the database, which writes names without quotes in upper case.
select
    icao as "icao",
    iata as "iata",
    name as "name",
    city as "city",
    subd as "subd",
    country as "country",
    elevation as "elevation",
    lat as "lat",
    lon as "lon",
    tz as "tz",
    lid as "lid"
from legacy.airports
