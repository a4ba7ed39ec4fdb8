{{ config(
    materialized='wave_index',
    buckets=4,
    meta={
        'scheme': 'wata',
        'window': 7,
        'constituents': 3,
        'day_column': 'dump_date',
        'search_field': 'airport_ident',
    },
) }}

select
    runway_id,
    airport_ident,
    surface,
    length_ft,
    is_lighted,
    dump_date
from {{ ref('stg_runway_days') }}
