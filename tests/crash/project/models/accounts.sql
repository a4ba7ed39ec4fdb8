{{ config(
    materialized='differential',
    unique_key=['region', 'account_id'],
    snapshot_date='dump_date',
    file_format=env_var('FILE_FORMAT'),
) }}
select * from dumps.accounts
where dump_date <= date '{{ env_var("LAST_DUMP") }}'
{%- if env_var('SLOW_LAND', '') %}
    and reflect('java.lang.Thread', 'sleep', 200L) is null
{%- endif %}
