{{ config(
    materialized='differential',
    unique_key='icao',
    strategy='timestamp',
    updated_at='changed_at',
) }}

select * from {{ ref('stg_airports_stamped') }}
