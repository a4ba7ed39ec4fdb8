{{ config(
    materialized='differential',
    unique_key='icao',
    meta={
        'strategy': 'timestamp_delete_flag',
        'updated_at': 'changed_at',
        'delete_flag': 'is_gone',
    },
) }}

select * from {{ ref('stg_airports_stamped') }}
