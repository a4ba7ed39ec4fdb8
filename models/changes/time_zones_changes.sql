{{ config(
    materialized='differential',
    unique_key='tz',
    meta={'snapshot_date': 'dump_date'},
) }}

select
    tz,
    concat_ws(' ', array_sort(collect_set(country))) as countries,
    max(elevation) as highest,
    dump_date
from {{ ref('stg_airports') }}
group by tz, dump_date
