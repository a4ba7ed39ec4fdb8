{# Stages the changes of a batch for the log. #}
{%- macro _stage(job, batch) -%}
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

{# The select of a batch's changes: every row of a first dump is an insert, unless it is a baseline; later ones are compared with the previous state. #}
{%- macro _staged_changes(job, batch) -%}
  {%- if batch.is_first -%}
    {{ return(deltawave._changes_without_before(job, batch, batch.result.new, "'insert'", 'false' if batch.is_baseline else 'true')) }}
  {%- elif batch.reading.changes -%}
    {{ return(deltawave._without_duplicates(job, batch) if batch.result.quarantined else batch.reading.changes) }}
  {%- elif job.strategy.compares == 'python' -%}
    {{ return(deltawave._changes_by_python(job, batch)) }}
  {%- endif -%}
  {{ return(deltawave._changes_between(
    batch.reading.old, batch.result.new, batch.columns, job.settings, key_hash='key_hash' if job.strategy.reads == 'dump' else none
  )) }}
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
