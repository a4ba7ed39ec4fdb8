{# A whole dump, to be compared with the whole kept side. #}
{%- macro default___whole_dump(job, batch, last) -%}
  {%- set select, condition = job.sql, '' -%}
  {%- if job.settings.snapshot_date -%}
    {%- set date = 'cast(' ~ deltawave._literal(batch.snapshot_date) ~ ' as ' ~ job.snapshot_type ~ ')' -%}
    {%- set condition = deltawave._quoted(job.settings.snapshot_date) ~ ' = ' ~ date -%}
    {%- if job.remote -%}
      {%- set select = deltawave._source_rows(job, deltawave._equal_at_remote(job, job.settings.snapshot_date, date)) -%}
    {%- endif -%}
  {%- endif -%}
  {%- do deltawave._create_copy(job, batch, select, job.columns, condition, is_ordered=job.strategy.keeps == 'ordered') -%}
  {{ return(deltawave._reading(arrived=batch.landed, old=deltawave._kept_copy(job, batch, last) if last else none)) }}
{%- endmacro -%}
