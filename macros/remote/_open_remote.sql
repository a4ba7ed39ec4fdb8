{#
  A model whose option `remote` names a database: its select runs there, in that database's dialect. The job keeps that select in
  job.remote: {name, dialect, select, padded, views}, and reads it as a temporary view, so that no secret is in any SQL.
#}
{%- macro _open_remote(job) -%}
  {%- set name = job.settings.remote -%}
  {%- do deltawave._require_remote(job.name, name) -%}
  {%- do deltawave._update(job, remote={'name': name, 'dialect': adapter.remote_dialect(name), 'select': job.sql, 'padded': {}, 'views': []}) -%}
  {%- do deltawave._update(job, sql='select * from ' ~ deltawave._remote_view(job, job.sql)) -%}
{%- endmacro -%}

{# Stops where the adapter reads no databases (stock dbt-spark), or knows none of that name. Connects to nothing. #}
{%- macro _require_remote(model_name, remote) -%}
  {%- if adapter.remote_view is not defined -%}
    {%- do deltawave._fail('remote_adapter', {'model': model_name, 'remote': remote}) -%}
  {%- endif -%}
  {%- do adapter.remote_dialect(remote) -%}
{%- endmacro -%}
