{{ config(
    materialized='differential',
    unique_key=['region', 'account_id'],
    snapshot_date='dump_date',
    file_format=env_var('FILE_FORMAT'),
) }}
select
    *
    {%- if env_var('SLOW_LAND', '') %},
    reflect('java.lang.Thread', 'sleep', 1000L) as nap
    {%- endif %}
from dumps.accounts
where dump_date <= date '{{ env_var("LAST_DUMP") }}'
