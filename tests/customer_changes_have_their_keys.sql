-- Changes whose surrogate key is not that of Spark's own join, or that are missing, and customers that are not where they should be.

with expected as (
    select
        changes.icao,
        changes._batch_id,
        lookup.customer_key
    from {{ ref('airports_changes') }} as changes
    left join {{ ref('customer_lookup') }} as lookup
        on changes.icao = lookup.code
),

found as (
    select
        icao,
        _batch_id,
        customer_key
    from {{ ref('customer_changes') }}
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
