{# Stages the changes of a batch for the log. #}
{%- macro _stage(job, batch) -%}
  {%- do deltawave._update(batch.result, counts=deltawave._written_changes(job, batch)) -%}
  {%- if batch.result.counts -%}{{ return(none) }}{%- endif -%}
  {%- set columns = deltawave._log_columns(job, batch.columns) + deltawave._control_columns()[:4] -%}
  {%- set names = deltawave._quoted_list(columns[:-2] | map(attribute='name')) -%}
  {%- set rows -%}
select
    {{ names | join(',\n    ') }},
    {{ deltawave._timestamp(batch.batch_at) }} as batch_at,
    cast(null as bigint) as of_batch
from (
    {{ deltawave._indented(deltawave._staged_changes(job, batch)) }}
)
  {%- endset -%}
  {%- do deltawave._stage_rows(job, batch, batch.result.log_table, columns, rows) -%}
{%- endmacro -%}

{#
  The select of a batch's changes. In a first dump every row is an insert, in a baseline none is logged; later dumps
  are compared.
#}
{%- macro _staged_changes(job, batch) -%}
  {%- if batch.is_first -%}
    {{ return(deltawave._changes_without_before(
      job, batch, batch.result.new, "'insert'", 'false' if batch.is_baseline else 'true'
    )) }}
  {%- elif batch.reading.changes -%}
    {{ return(deltawave._without_duplicates(job, batch) if batch.result.quarantined else batch.reading.changes) }}
  {%- elif job.strategy.compares == 'python' -%}
    {{ return(deltawave._changes_by_python(job, batch)) }}
  {%- endif -%}
  {{ return(deltawave._changes_between(
    batch.reading.old, batch.result.new, batch.columns, job.settings,
    key_hash='key_hash' if job.strategy.reads == 'dump' else none
  )) }}
{%- endmacro -%}

{#
  Lets a library write the changes where they are staged, if it has their rows in files and none is quarantined.
  Returns the number of each kind; none if Spark has to write them.
#}
{%- macro _written_changes(job, batch) -%}
  {#- Whether a difference is within a tolerance is decided by Spark. -#}
  {%- set pairs = none if job.settings.tolerance else batch.reading.pairs -%}
  {%- set inserts = none if pairs else deltawave._first_rows_in_files(job, batch) -%}
  {%- if job.settings.file_format != 'parquet' or not (pairs or inserts) or batch.result.quarantined
      or batch.is_baseline and inserts -%}
    {{ return(none) }}
  {%- endif -%}
  {%- set function = 'write_changes' if pairs else 'write_inserts' -%}
  {%- set rows = {'pairs': pairs} if pairs else {'rows': inserts} -%}
  {%- set options = {
    'folder': deltawave._staged_folder(job, batch, batch.result.log_table),
    'columns': batch.columns,
    'batch_at': batch.batch_at,
    'memory_bytes': job.settings.memory_bytes,
  } -%}
  {%- set counts = adapter.call_library('deltawave.differencing.logged_rows.' ~ function, rows, options) -%}
  {{ return(none if counts is none else dict({'insert': 0, 'delete': 0, 'update': 0, 'backfill': 0}, **counts)) }}
{%- endmacro -%}

{#
  The rows of a first dump that a library can read where their files are: the source itself, landed, or a copy that is
  joined there; none otherwise.
#}
{%- macro _first_rows_in_files(job, batch) -%}
  {%- set reading = batch.reading -%}
  {%- if batch.is_first and job.strategy.library -%}
    {{ return(deltawave._in_parentheses(reading.unlanded) if reading.unlanded else batch.landed | string) }}
  {%- endif -%}
  {%- if batch.is_first and reading.state and deltawave._is_plain_copy(reading.state) -%}
    {{ return(deltawave._in_parentheses(deltawave._typed_rows(
      batch, deltawave._copied_rows(job, batch, reading.state)
    ))) }}
  {%- endif -%}
  {{ return(none) }}
{%- endmacro -%}

{# The changes that the reader computed, except those of duplicate keys. #}
{%- macro _without_duplicates(job, batch) -%}
with changes as (
    {{ deltawave._indented(batch.reading.changes) }}
),

duplicates as (
    {{ deltawave._indented(deltawave._duplicates(job, batch)) }}
)

select changes.*
from changes
left anti join duplicates
    on {{ deltawave._same_key(job.settings.unique_key, 'changes', 'duplicates') }}
{%- endmacro -%}
