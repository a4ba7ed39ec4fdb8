with changes as (
    select
        _batch_id as batch_id,
        _change_type as change_type,
        _changed_columns as changed_columns,
        -- The day in UTC, whatever the session's time zone.
        cast(to_utc_timestamp(_batch_at, current_timezone()) as date) as dump_date
    from {{ ref('airports_changes') }}
    {% if is_incremental() -%}
    where _batch_id > (select coalesce(max(batch_id), 0) from {{ this }})
    {%- endif %}
),

counts as (
    select
        batch_id,
        dump_date,
        change_type,
        count(*) as row_count
    from changes
    group by batch_id, dump_date, change_type
),

changed_names as (
    select
        batch_id,
        explode(changed_columns) as column_name
    from changes
),

changed_counts as (
    select
        batch_id,
        column_name,
        count(*) as update_count
    from changed_names
    group by batch_id, column_name
),

most_changed as (
    select
        batch_id,
        'update' as change_type,
        slice(array_sort(collect_list(struct(-update_count as place, column_name))).column_name, 1, 3) as column_names
    from changed_counts
    group by batch_id
)

select
    counts.batch_id,
    counts.dump_date,
    counts.change_type,
    counts.row_count,
    most_changed.column_names as most_changed_columns
from counts
left join most_changed
    on counts.batch_id = most_changed.batch_id and counts.change_type = most_changed.change_type
