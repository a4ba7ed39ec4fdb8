{#
  Prepares the quarantine for the columns of this batch. A column with another type is refused, except before batch 1,
  when no row counts yet.
#}
{%- macro _prepare_quarantine(job, batch) -%}
  {%- set table = deltawave._quarantine_relation(job) -%}
  {%- do deltawave._create_quarantine(job) -%}
  {%- if not deltawave._add_columns(job, table, job.columns) -%}
    {%- if batch.batch_id > 1 -%}
      {%- do deltawave._refuse(job, batch, 'quarantine_type', {'table': table | string}) -%}
    {%- endif -%}
    {%- do deltawave._drop_table(job, table) -%}
    {%- do deltawave._create_quarantine(job) -%}
  {%- endif -%}
{%- endmacro -%}

{# Stages the quarantined rows. #}
{%- macro _stage_quarantine(job, batch) -%}
  {%- set columns = deltawave._landed_columns(job, batch) + [{'name': 'batch_at', 'data_type': 'timestamp'}] -%}
  {%- do deltawave._stage_rows(
    job, batch, deltawave._quarantine_relation(job), columns, deltawave._quarantined_rows(job, batch)
  ) -%}
{%- endmacro -%}

{# The rows of a dump that are set aside, with the batch's time. #}
{%- macro _quarantined_rows(job, batch) -%}
  {%- set names = deltawave._landed_columns(job, batch) | map(attribute='name') -%}
with duplicates as (
    {{ deltawave._indented(deltawave._duplicates(job, batch)) }}
)

select
    {{ deltawave._quoted_list(names, 'landed') | join(',\n    ') }},
    {{ deltawave._timestamp(batch.batch_at) }} as batch_at
from {{ batch.reading.incoming }} as landed
left semi join duplicates
    on landed.key_hash = duplicates.key_hash and {{ deltawave._same_key(job.settings.unique_key, 'landed', 'duplicates') }}
{%- endmacro -%}

{# Warns before the decision: a warning that dbt turns into an error must leave nothing decided. #}
{%- macro _warn_of_quarantined(job, batch) -%}
  {%- do exceptions.warn(deltawave._message('quarantined', dict(
    batch.result.duplicates, model=job.name, batch=batch.label, rows=batch.result.quarantined
  ))) -%}
{%- endmacro -%}
