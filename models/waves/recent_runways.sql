{{ config(
    materialized='wave_index',
    scheme='wata',
    window=7,
    constituents=3,
    day_column='dump_date',
    search_field='airport_ident',
    buckets=4,
) }}

select
    runway_id,
    airport_ident,
    surface,
    length_ft,
    is_lighted,
    dump_date
from {{ ref('stg_runway_days') }}
