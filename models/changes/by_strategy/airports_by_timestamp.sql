{{ config(
    materialized='differential',
    unique_key='icao',
    meta={'strategy': 'timestamp', 'updated_at': 'changed_at'},
) }}

select * from {{ ref('stg_airports_stamped') }}
