-- Newly arrived codes of customers that were known under another code, which are missing, and pairs of codes that are none.

with customers as (
    select
        lookup.code,
        lookup.name,
        lookup.country,
        coalesce(later._batch_id, 1) as came_with
    from {{ ref('customer_lookup') }} as lookup
    left join {{ ref('new_customers') }} as later
        on lookup.customer_key = later.customer_key
),

pairs as (
    select
        changes.icao,
        changes._batch_id,
        customers.code,
        customers.came_with
    from {{ ref('airports_changes') }} as changes
    inner join customers
        on changes.name = customers.name and changes.country = customers.country
    where changes._change_type = 'insert' and changes.icao != customers.code
),

found as (
    select
        icao,
        _batch_id,
        code
    from {{ ref('renamed_customers') }}
)

(
    select 'is none' as problem, found.* from found
    except all
    select 'is none' as problem, icao, _batch_id, code from pairs
)
union all
(
    -- Of two codes that come one after the other, a run sees the earlier one only.
    select 'lacks' as problem, icao, _batch_id, code from pairs
    where came_with <= _batch_id
    except all
    select 'lacks' as problem, found.* from found
)
