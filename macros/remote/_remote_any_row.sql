{# A Spark select of one row, found, if the model's select has any row at the remote; otherwise of no row. #}
{%- macro _remote_any_row(job) -%}
  {%- set first = 'fetch first 1 rows only' if job.remote.dialect == 'derby' else 'limit 1' -%}
  {%- set found = deltawave._remote_name(job, 'found') -%}
  {{ return('select `found` from ' ~ deltawave._remote_view(job, 'select 1 as ' ~ found ~ ' from ' ~ deltawave._remote_dump(job) ~ ' ' ~ first)) }}
{%- endmacro -%}
