{{ config(
    materialized='differential',
    unique_key='icao',
    meta={'strategy': 'row_checksum'},
) }}

select * from {{ ref('stg_airports_today') }}
