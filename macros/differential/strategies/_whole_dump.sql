{# A whole dump, to be compared with the whole kept side. #}
{%- macro _land_dump(job, batch, last) -%}
  {%- set select, condition = job.sql, '' -%}
  {%- if job.settings.snapshot_date -%}
    {%- set date = 'cast(' ~ deltawave._literal(batch.snapshot_date) ~ ' as ' ~ job.snapshot_type ~ ')' -%}
    {%- set condition = deltawave._quoted(job.settings.snapshot_date) ~ ' = ' ~ date -%}
    {%- if job.remote -%}
      {%- set select = deltawave._source_rows(job, deltawave._equal_at_remote(job, job.settings.snapshot_date, date)) -%}
    {%- endif -%}
  {%- endif -%}
  {%- do deltawave._create_copy(job, batch, select, job.columns, condition) -%}
  {%- if not batch.is_first -%}
    {%- do batch.update(old=deltawave._kept_copy(job, last)) -%}
  {%- endif -%}
{%- endmacro -%}
