{# One checksum per key, placed by the key's hash. #}
{%- macro default___write_checksums(job, batch, table, rows, columns) -%}
  {%- set sql -%}
{{ deltawave._create_by_hash(job, table, deltawave._key_columns(job)) }}
with summed as (
    {{ deltawave._indented(rows) }}
)

select /*+ repartition({{ deltawave._buckets(job) }}, key_hash) */
    {{ deltawave._quoted_list(job.settings.unique_key) | join(',\n    ') }},
    row_checksum,
    key_hash
from summed
  {%- endset -%}
  {%- do deltawave._run(job, sql) -%}
  {{ return({}) }}
{%- endmacro -%}

{# A select's rows as keys and checksums. #}
{%- macro default___checksums_of(job, batch, rows) -%}
{%- set keys = job.settings.unique_key -%}
select
    {{ deltawave._quoted_list(keys) | join(',\n    ') }},
    {{ deltawave._checksum_of(batch) }} as row_checksum,
    {{ deltawave._key_hash('side', keys) }} as key_hash
from (
    {{ deltawave._indented(deltawave._typed_rows(batch, rows)) }}
) as side
{%- endmacro -%}

{%- macro default___patched_checksums(job, batch, last) -%}
  {%- set keys = job.settings.unique_key -%}
  {%- set names = keys + ['key_hash', 'row_checksum'] -%}
  {%- set base -%}
(
    select {{ deltawave._quoted_list(names) | join(', ') }}
    from {{ deltawave._attempt_relation(job, last.state) }}
)
  {%- endset -%}
  {%- set log -%}
(
    select
        {{ deltawave._quoted_list(keys) | join(',\n        ') }},
        {{ deltawave._key_hash('log', keys) }} as key_hash,
        {{ deltawave._checksum_of(batch) }} as row_checksum,
        `_change_type`,
        `_batch_id`
    from {{ job.target }} as log
)
  {%- endset -%}
  {{ return(deltawave._rebuild(
    base, keys, names, names, deltawave._last_changes(log, keys, names, from_batch=last.state.as_of + 1)
  )) }}
{%- endmacro -%}

{# The row's checksum, over the compared columns. #}
{%- macro _checksum_of(batch) -%}
  {%- set compared = [] -%}
  {%- for column in batch.columns if column.is_chosen -%}
    {%- do compared.append({'name': column.name, 'data_type': column.data_type}) -%}
  {%- endfor -%}
  {{ return(deltawave.row_checksum(compared, bits=128) if compared else deltawave._literal('')) }}
{%- endmacro -%}

{%- macro default___fingerprint_of_checksums(job, batch) -%}
  {{ return(local_md5(deltawave._checksum_of(batch))) }}
{%- endmacro -%}
