{{ config(
    materialized='differential',
    unique_key='icao',
    meta={'strategy': 'ranges', 'range_rows': 8000},
) }}

select * from {{ ref('stg_airports_today') }}
