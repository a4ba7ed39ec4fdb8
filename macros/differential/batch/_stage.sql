{# Writes the log rows of (batch, attempt) where no reader looks (see _place). #}
{%- macro _stage(job, batch) -%}
  {%- set columns = deltawave._log_columns(job, batch.columns) | map(attribute='name') | list -%}
  {%- if batch.is_first and job.settings.initial_load == 'baseline' -%}
    {{ return(none) }}
  {%- endif -%}
  {%- do deltawave._reserve(job, batch, batch.result.log_table) -%}
  {%- set sql -%}
insert into {{ batch.result.log_table }} (
    {{ deltawave._quoted_list(columns) | join(',\n    ') }},
    change_type,
    changed_columns,
    batch_at,
    batch_id,
    attempt
)
with changes as (
    {{ deltawave._indented(deltawave._staged_changes(job, batch)) }}
)

select /*+ rebalance */
    {%- for name in columns %}
    changes.{{ deltawave._quoted(name) }},
    {%- endfor %}
    changes.change_type,
    changes.changed_columns,
    {{ deltawave._timestamp(batch.batch_at) }} as batch_at,
    {{ deltawave._staged_number(job, batch.batch_id) }} as batch_id,
    {{ deltawave._literal(batch.attempt) }} as attempt
from changes
  {%- endset -%}
  {%- do deltawave._run(job, sql) -%}
{%- endmacro -%}

{# The select of a batch's changes: every row of a first dump is an insert, later ones are compared with the previous state. #}
{%- macro _staged_changes(job, batch) -%}
  {%- if batch.is_first -%}
    {{ return(deltawave._all_inserts(job, batch)) }}
  {%- endif -%}
  {%- if batch.reading.changes -%}
    {{ return(batch.reading.changes) }}
  {%- elif job.strategy.compares == 'python' -%}
    {{ return(deltawave._changes_by_python(job, batch)) }}
  {%- endif -%}
  {{ return(deltawave._changes_between(
    batch.reading.old, batch.result.new, batch.columns, job.settings, key_hash='key_hash' if job.strategy.reads == 'dump' else none
  )) }}
{%- endmacro -%}

{%- macro _all_inserts(job, batch) -%}
select
    {%- for column in batch.columns %}
    new_side.{{ deltawave._quoted(column.name) }},
    {%- endfor %}
    {%- for cell in deltawave._null_before(batch.columns, job.settings.before_image != 'none') %}
    {{ cell }},
    {%- endfor %}
    'insert' as change_type,
    cast(null as array<string>) as changed_columns
from {{ batch.result.new }} as new_side
{%- endmacro -%}
