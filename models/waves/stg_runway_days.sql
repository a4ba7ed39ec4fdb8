-- The runways of the world day by day, as OurAirports publishes them; generated ones if DELTAWAVE_RUNWAYS names no folder of dumps.
{% if env_var('DELTAWAVE_RUNWAYS', '') -%}
select
    cast(id as bigint) as runway_id,
    airport_ident,
    surface,
    cast(length_ft as int) as length_ft,
    lighted = '1' as is_lighted,
    to_date(regexp_extract(_metadata.file_name, 'runways_(.*)\\.csv', 1)) as dump_date
from {{ source('legacy', 'runways') }}
{%- else -%}
with days as (
    select
        id as day,
        date_add(date '2026-05-28', cast(id as int)) as dump_date
    from range(12)
),

runways as (
    select id as runway_id from range(5000)
)

-- Each day some runways get lights or another surface, some are closed, and some are new.
select
    runways.runway_id,
    concat('K', lpad(cast(runways.runway_id div 2 as string), 4, '0')) as airport_ident,
    element_at(
        array('ASPH', 'CONC', 'TURF', 'GRVL', 'WATER'),
        1 + cast((runways.runway_id + (days.day + runways.runway_id % 400) div 400) % 5 as int)
    ) as surface,
    cast(1000 + 37 * runways.runway_id % 9000 as int) as length_ft,
    runways.runway_id % 500 < days.day as is_lighted,
    days.dump_date
from days
inner join runways
    on runways.runway_id between days.day * 20 and 4700 + days.day * 20
{%- endif %}
