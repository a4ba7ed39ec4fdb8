{# Writes the log rows of (batch, attempt). No reader sees them: the view names neither this batch nor this attempt yet. #}
{%- macro _stage(job, state, batch) -%}
  {%- set columns = deltawave._log_columns(job, batch.columns) | map(attribute='name') | list -%}
  {%- if batch.is_first -%}
    {%- if job.settings.initial_load == 'baseline' -%}{{ return(none) }}{%- endif -%}
    {%- set changes = deltawave._all_inserts(batch.kept, batch.columns) -%}
  {%- else -%}
    {%- set old = deltawave._copy_relation(job, state.record.kept.batch_id, state.record.kept.attempt) -%}
    {%- set changes = deltawave._changes_between(old, batch.kept, batch.columns, job.settings, key_hash='key_hash') -%}
  {%- endif -%}
  {%- set sql -%}
insert into {{ batch.log }} (
    {{ deltawave._quoted_list(columns) | join(',\n    ') }},
    change_type,
    changed_columns,
    batch_at,
    batch_id,
    attempt
)
with changes as (
    {{ changes | indent }}
)

select /*+ rebalance */
    {%- for name in columns %}
    {{ 'changes.' ~ deltawave._quoted(name) }},
    {%- endfor %}
    changes.change_type,
    changes.changed_columns,
    {{ deltawave._timestamp(batch.batch_at) }} as batch_at,
    {{ batch.batch_id }} as batch_id,
    {{ deltawave._literal(batch.attempt) }} as attempt
from changes
  {%- endset -%}
  {%- do deltawave._run(job, sql) -%}
{%- endmacro -%}

{# An instant from its text in UTC (see _utc). #}
{%- macro _timestamp(text) -%}
  {{ return("timestamp '" ~ text ~ "'") }}
{%- endmacro -%}

{%- macro _all_inserts(new, columns) -%}
select
    {%- for column in columns %}
    new_side.{{ deltawave._quoted(column.name) }},
    {%- endfor %}
    {%- for column in columns | rejectattr('is_key') %}
    cast(null as {{ column.data_type }}) as {{ deltawave._quoted('before__' ~ column.name) }},
    {%- endfor %}
    'insert' as change_type,
    cast(null as array<string>) as changed_columns
from {{ new }} as new_side
{%- endmacro -%}
