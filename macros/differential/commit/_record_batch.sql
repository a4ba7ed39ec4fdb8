{#
  How many such comparisons (daily ones in the paper) are expected before a checksum of 128 bits hides a change (LG96
  3.2, equation 2): the inverse of 1 - (1 - 2^-128)^checksums. As in the paper, every compared checksum counts, for the
  worst case. Null without checksums.
#}
{%- macro _comparisons_before_error(checksums) -%}
  {{ return('-1 / expm1(' ~ checksums ~ ' * log1p(-power(2d, -128)))' if checksums else 'cast(null as double)') }}
{%- endmacro -%}

{#
  The decided batch's row in x__batches. Another run that finishes the batch at the same time writes the same row, so
  readers take distinct rows. A table of Parquet gets a file, and then the partition that it is in.
#}
{%- macro _record_batch(job, record) -%}
  {%- set types, row = deltawave._batches_columns(), {'batch_id': record.batch_id} -%}
  {%- for name in types -%}{%- do row.update({name: record.get(name)}) -%}{%- endfor -%}
  {%- set facts = adapter.catalog_facts(job.batches) if adapter.catalog_facts is defined else none -%}
  {%- set written = {'types': types, 'row': row, 'checksums': record.checksums or 0} -%}
  {%- if facts and facts.get('Provider', '') | lower == 'parquet'
      and adapter.call_library('deltawave.batch_rows.write_row', {}, dict(written, table=facts.Location)) -%}
    {%- do log('deltawave: ' ~ job.name ~ ': a row of ' ~ job.batches ~ ' was written: ' ~ row) -%}
    {%- do deltawave._run(
      job, 'alter table ' ~ job.batches ~ ' add if not exists partition (batch_id = ' ~ record.batch_id ~ ')'
    ) -%}
    {{ return(none) }}
  {%- endif -%}
  {%- set sql -%}
insert into {{ job.batches }} partition (batch_id = {{ record.batch_id }}) ({{ types.keys() | join(', ') }})
select
    {%- for name, data_type in types.items() %}
    {%- if name == 'comparisons_before_error' %}
    {{ deltawave._comparisons_before_error(record.checksums or 0) }}
    {%- else %}
    cast({{ deltawave._literal(row[name]) }} as {{ data_type }})
    {%- endif %} as {{ name }}{{ ',' if not loop.last }}
    {%- endfor %}
  {%- endset -%}
  {%- do deltawave._run(job, sql) -%}
{%- endmacro -%}

{%- macro _create_batches(job) -%}
  {%- set sql -%}
create table if not exists {{ job.batches }} (
    {%- for name, data_type in deltawave._batches_columns().items() %}
    {{ name }} {{ data_type }},
    {%- endfor %}
    batch_id bigint
)
using {{ job.settings.file_format }}
partitioned by (batch_id)
  {%- endset -%}
  {%- do deltawave._run(job, sql) -%}
  {%- set columns = [] -%}
  {%- for name, data_type in deltawave._batches_columns().items() -%}
    {%- do columns.append({'name': name, 'data_type': data_type}) -%}
  {%- endfor -%}
  {#- An older version may have created the table; see _recover. -#}
  {%- do deltawave._add_columns(job, job.batches, columns) -%}
{%- endmacro -%}

{# x__batches, without its partition column batch_id. #}
{%- macro _batches_columns() -%}
  {{ return({
    'attempt': 'string',
    'batch_at': 'timestamp',
    'snapshot_date': 'string',
    'dump_files': 'string',
    'dump_checksum': 'string',
    'strategy': 'string',
    'reason': 'string',
    'rows_old': 'bigint',
    'rows_dump': 'bigint',
    'rows_new': 'bigint',
    'bytes_dump': 'bigint',
    'bytes_full': 'bigint',
    'quarantined': 'bigint',
    'inserts': 'bigint',
    'deletes': 'bigint',
    'updates': 'bigint',
    'backfilled': 'bigint',
    'seconds': 'double',
    'comparisons_before_error': 'double',
    'decided_at': 'timestamp',
    'rewound_to': 'bigint',
  }) }}
{%- endmacro -%}

{%- macro _write_history(job, batch, last) -%}
  {%- set table = deltawave._own_table(batch, 'history') -%}
  {%- do deltawave._refresh(job, job.settings.file_format, [job.batches]) -%}
  {%- set sql -%}
create table {{ deltawave._attempt_relation(job, table) }}
using {{ job.settings.file_format }}
as
select /*+ coalesce(1) */ distinct
    batch_id,
    {{ deltawave._batches_columns().keys() | join(',\n    ') }}
from {{ deltawave._batches_so_far(job, last) }}
where batch_id < {{ batch.batch_id }}
  {%- endset -%}
  {%- do deltawave._run(job, sql) -%}
  {{ return({'tables': [table] + (last.history.tables[:1] if last.history else [])}) }}
{%- endmacro -%}
