-- Rows of dumps without their customer's surrogate key, as Spark's own join finds it, rows that are missing, and rows that are there twice.
{{ config(enabled=target.name != 'connect') }}

with expected as (
    select
        dumps.icao,
        dumps.elevation,
        dumps.dump_date,
        lookup.customer_key
    from {{ source('legacy', 'airports') }} as dumps
    left join {{ ref('customer_lookup') }} as lookup
        on dumps.icao = lookup.code
),

found as (
    select
        icao,
        elevation,
        dump_date,
        customer_key
    from {{ ref('customer_sightings') }}
)

(
    select 'lacks' as problem, expected.* from expected
    except all
    select 'lacks' as problem, found.* from found
)
union all
(
    select 'has' as problem, found.* from found
    except all
    select 'has' as problem, expected.* from expected
)
