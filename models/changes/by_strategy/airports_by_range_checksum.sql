{{ config(
    materialized='differential',
    unique_key='icao',
    meta={'strategy': 'range_checksum', 'range_rows': 100},
) }}

select * from {{ ref('stg_airports_today') }}
