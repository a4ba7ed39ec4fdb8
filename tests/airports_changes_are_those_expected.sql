-- For each dump of the demo, the log has the changes that a comparison outside Spark found.

with found as (
    select
        cast(to_utc_timestamp(_batch_at, current_timezone()) as date) as dump_date,
        count_if(_change_type = 'insert') as inserts,
        count_if(_change_type = 'delete') as deletes,
        count_if(_change_type = 'update') as updates
    from {{ ref('airports_changes') }}
    group by dump_date
)

select
    expected.dump_date,
    expected.inserts as expected_inserts,
    found.inserts,
    expected.deletes as expected_deletes,
    found.deletes,
    expected.updates as expected_updates,
    found.updates
from {{ ref('airports_expected_changes') }} as expected
left join found
    on expected.dump_date = found.dump_date
where not (
    expected.inserts <=> found.inserts
    and expected.deletes <=> found.deletes
    and expected.updates <=> found.updates
)
