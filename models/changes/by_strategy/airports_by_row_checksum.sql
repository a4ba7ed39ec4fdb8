{{ config(
    materialized='differential',
    unique_key='icao',
    strategy='row_checksum',
) }}

select * from {{ ref('stg_airports_today') }}
