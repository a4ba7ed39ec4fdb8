{% set has_database = env_var('DELTAWAVE_AIRPORTS_DATABASE', 'false') == 'true' -%}
with batches as (
    select
        'airports_changes' as model,
        counted.*
    from ({{ deltawave.batches(ref('airports_changes')) }}) as counted
    union all
    select
        'airports_by_timestamp' as model,
        counted.*
    from ({{ deltawave.batches(ref('airports_by_timestamp')) }}) as counted
    union all
    select
        'airports_by_delete_flag' as model,
        counted.*
    from ({{ deltawave.batches(ref('airports_by_delete_flag')) }}) as counted
    union all
    select
        'airports_by_row_checksum' as model,
        counted.*
    from ({{ deltawave.batches(ref('airports_by_row_checksum')) }}) as counted
    union all
    select
        'airports_by_ranges' as model,
        counted.*
    from ({{ deltawave.batches(ref('airports_by_ranges')) }}) as counted
    union all
    select
        'airports_by_range_checksum' as model,
        counted.*
    from ({{ deltawave.batches(ref('airports_by_range_checksum')) }}) as counted
    {%- if has_database %}
    union all
    select
        'airports_by_remote_checksum' as model,
        counted.*
    from ({{ deltawave.batches(ref('airports_by_remote_checksum')) }}) as counted
    {%- endif %}
)

select
    model,
    max_by(strategy, batch_id) as strategy,
    max_by(rows_dump, batch_id) as rows_fetched,
    max_by(inserts, batch_id) as inserts,
    max_by(deletes, batch_id) as deletes,
    max_by(updates, batch_id) as updates
from batches
group by model
