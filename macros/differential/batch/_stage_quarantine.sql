{# Makes room for the rows of this batch. A column with another type is refused, except before batch 1, when no row counts yet. #}
{%- macro _prepare_quarantine(job, batch) -%}
  {%- if batch.result.quarantined -%}
    {%- set table = deltawave._quarantine_relation(job) -%}
    {%- do deltawave._create_quarantine(job) -%}
    {%- if not deltawave._add_columns(job, table, job.columns) -%}
      {%- if batch.batch_id > 1 -%}
        {%- do deltawave._refuse(job, batch, 'quarantine_type', {'table': table | string}) -%}
      {%- endif -%}
      {%- do deltawave._drop_table(job, table) -%}
      {%- do deltawave._create_quarantine(job) -%}
    {%- endif -%}
  {%- endif -%}
{%- endmacro -%}

{# Writes the rows of (batch, attempt) where no reader looks (see _place). #}
{%- macro _stage_quarantine(job, batch) -%}
  {%- if batch.result.quarantined -%}
    {%- set names = deltawave._quoted_list(deltawave._landed_columns(job, batch) | map(attribute='name')) -%}
    {%- do deltawave._reserve(job, batch, deltawave._quarantine_relation(job)) -%}
    {%- set sql -%}
insert into {{ deltawave._quarantine_relation(job) }} (
    {{ names | join(',\n    ') }},
    batch_at,
    batch_id,
    attempt
)
with duplicates as (
    {{ deltawave._indented(deltawave._duplicates(job, batch)) }}
)

select
    {%- for name in names %}
    landed.{{ name }},
    {%- endfor %}
    {{ deltawave._timestamp(batch.batch_at) }} as batch_at,
    {{ deltawave._staged_number(job, batch.batch_id) }} as batch_id,
    {{ deltawave._literal(batch.attempt) }} as attempt
from {{ batch.reading.arrived }} as landed
left semi join duplicates
    on landed.key_hash = duplicates.key_hash and {{ deltawave._same_key(job.settings.unique_key, 'landed', 'duplicates') }}
    {%- endset -%}
    {%- do deltawave._run(job, sql) -%}
  {%- endif -%}
{%- endmacro -%}

{# Warns before the decision: a warning that dbt turns into an error must leave nothing decided. #}
{%- macro _warn_of_quarantined(job, batch) -%}
  {%- if batch.result.quarantined -%}
    {%- do exceptions.warn(deltawave._message('quarantined', {
      'model': job.name,
      'batch': batch.label,
      'keys': batch.result.duplicates['keys'],
      'count': batch.result.duplicates['count'],
      'examples': batch.result.duplicates.examples,
      'rows': batch.result.quarantined,
    })) -%}
  {%- endif -%}
{%- endmacro -%}
