{% set models = [
    'airports_changes',
    'airports_by_timestamp',
    'airports_by_delete_flag',
    'airports_by_row_checksum',
    'airports_by_ranges',
    'airports_by_range_checksum',
] -%}
{% if env_var('DELTAWAVE_AIRPORTS_DATABASE', 'false') == 'true' %}{% do models.append('airports_by_remote_checksum') %}{% endif -%}

with batches as (
    {%- for name in models %}
    select
        '{{ name }}' as model,
        counted.*
    from ({{ deltawave.batches(ref(name)) }}) as counted
    {%- if not loop.last %}
    union all
    {%- endif %}
    {%- endfor %}
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
