{#- Every model of the project: a dump at a time by range_checksum where its name says so, dated dumps by outer_join otherwise. -#}
{% set is_slice = this.identifier.startswith('slices') %}
{{ config(
    materialized='differential',
    unique_key=['region', 'account_id'],
    strategy='range_checksum' if is_slice else 'outer_join',
    snapshot_date=none if is_slice else 'dump_date',
    range_rows=10 if is_slice else none,
    file_format=env_var('FILE_FORMAT'),
) }}
select {{ '* except (dump_date)' if is_slice else '*' }}
from dumps.accounts
where dump_date {{ '=' if is_slice else '<=' }} date '{{ env_var("LAST_DUMP") }}'
