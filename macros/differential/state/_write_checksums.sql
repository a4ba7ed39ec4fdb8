{# One checksum per key, placed by the key's hash. #}
{%- macro default___write_checksums(job, batch, table, rows, columns) -%}
  {%- set sql -%}
{{ deltawave._create_by_hash(job, table, deltawave._key_columns(job)) }}
with summed as (
    {{ deltawave._indented(rows) }}
)

select /*+ repartition({{ deltawave._buckets(job) }}, key_hash) */
    {{ deltawave._quoted_list(deltawave._names_of_checksums(job)) | join(',\n    ') }}
from summed
  {%- endset -%}
  {%- do deltawave._run(job, sql) -%}
  {{ return({}) }}
{%- endmacro -%}

{# The columns of a state of checksums. #}
{%- macro _names_of_checksums(job) -%}
  {{ return(job.settings.unique_key + ['row_checksum', 'row_checksum_high', 'key_hash']) }}
{%- endmacro -%}

{# A select's rows as keys and checksums. #}
{%- macro default___checksums_of_rows(job, batch, rows) -%}
{%- set keys = job.settings.unique_key -%}
select
    {{ deltawave._quoted_list(keys) | join(',\n    ') }},
    {{ deltawave._checksum_cells(batch) | join(',\n    ') }},
    {{ deltawave._key_hash('side', keys) }} as key_hash
from (
    {{ deltawave._indented(deltawave._typed_rows(batch, rows)) }}
) as side
{%- endmacro -%}

{#
  The state with the checksums of the rows that the log has had since. They are few (see _is_patched_much), so that the
  state need not be exchanged for them.
#}
{%- macro default___patched_checksums(job, batch, last) -%}
  {%- set base = deltawave._recorded_checksums(job, last) -%}
  {%- if last.state.as_of == last.batch_id -%}{{ return(base) }}{%- endif -%}
  {%- set keys = job.settings.unique_key -%}
with base_side as (
    {{ deltawave._indented(base) }}
),

last_changes as (
    {{ deltawave._indented(deltawave._logged_since(job, batch, last)) }}
)

select{{ deltawave._broadcast_if_few(job, deltawave._patches_of(last.state).rows, 'last_changes') }}
    base_side.*
from base_side
left anti join last_changes
    on {{ deltawave._same_key(keys, 'base_side', 'last_changes') }}
union all
select
    {{ deltawave._quoted_list(keys) | join(',\n    ') }},
    {{ deltawave._checksum_cells(batch) | join(',\n    ') }},
    {{ deltawave._key_hash('last_changes', keys) }} as key_hash
from last_changes
where `_change_type` <> 'delete'
{%- endmacro -%}

{# The checksums of the state as it was written. #}
{%- macro _recorded_checksums(job, last) -%}
select
    {{ deltawave._quoted_list(deltawave._names_of_checksums(job)) | join(',\n    ') }}
from {{ deltawave._attempt_relation(job, last.state) }}
{%- endmacro -%}

{# The last change of each key since the state was written. #}
{%- macro _logged_since(job, batch, last) -%}
  {%- set names = batch.columns | selectattr('in_new') | map(attribute='name') | list -%}
  {{ return(deltawave._last_changes(
    job.target, job.settings.unique_key, names, from_batch=last.state.as_of + 1
  )) }}
{%- endmacro -%}

{# The row's checksum over the compared columns, in two halves of 64 bits. #}
{%- macro _checksums_of(batch) -%}
  {%- set compared = [] -%}
  {%- for column in batch.columns if column.is_chosen and column.in_new -%}
    {%- do compared.append({'name': column.name, 'data_type': column.data_type}) -%}
  {%- endfor -%}
  {%- if not compared -%}{{ return(['0L', '0L']) }}{%- endif -%}
  {%- set half = adapter.dispatch('_half_of_checksum', 'deltawave') -%}
  {{ return([half(compared, 0), half(compared, 1)]) }}
{%- endmacro -%}

{%- macro default___half_of_checksum(columns, lane) -%}
  {{ return(deltawave._row_hash(columns, lane)) }}
{%- endmacro -%}

{%- macro _checksum_cells(batch) -%}
  {%- set halves = deltawave._checksums_of(batch) -%}
  {{ return([halves[0] ~ ' as row_checksum', halves[1] ~ ' as row_checksum_high']) }}
{%- endmacro -%}

{%- macro default___fingerprint_of_checksums(job, batch) -%}
  {{ return(local_md5(deltawave._checksums_of(batch) | join)) }}
{%- endmacro -%}
