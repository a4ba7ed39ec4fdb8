{% set is_slice = env_var('STRATEGY') == 'range_checksum' %}
{{ config(
    materialized='differential',
    unique_key=['region', 'account_id'],
    strategy=env_var('STRATEGY'),
    snapshot_date=none if is_slice else 'dump_date',
    range_rows=10 if is_slice else none,
    file_format=env_var('FILE_FORMAT'),
) }}
select
    * except ({{ 'dump_date, ' if is_slice }}note),
    {%- if env_var('SLOW_LAND', '') %}
    -- Each row sleeps for so many milliseconds.
    if(reflect('java.lang.Thread', 'sleep', bigint({{ env_var('SLOW_LAND') }})) is null, null, note) as note
    {%- else %}
    note
    {%- endif %}
from dumps.accounts
where dump_date {{ '=' if is_slice else '<=' }} date '{{ env_var("LAST_DUMP") }}'
