{#
  A model whose option `remote` names a database: its select runs there, in that database's dialect. The job keeps the select in job.remote:
  {name, dialect, select, padded, views}, and reads it through a temporary view, so that no SQL contains a secret.
#}
{%- macro _open_remote(job) -%}
  {%- set name = job.settings.remote -%}
  {%- do deltawave._require_remote(job.name, name) -%}
  {%- do deltawave._update(job, remote={'name': name, 'dialect': adapter.remote_dialect(name), 'select': job.sql, 'padded': {}, 'views': []}) -%}
  {%- do deltawave._update(job, sql='select * from ' ~ deltawave._remote_view(job, job.sql)) -%}
{%- endmacro -%}

{# Stops if the adapter cannot read databases (stock dbt-spark), or knows none of that name. Opens no connection. #}
{%- macro _require_remote(model_name, remote) -%}
  {%- if adapter.remote_view is not defined -%}
    {%- do deltawave._fail('remote_adapter', {'model': model_name, 'remote': remote}) -%}
  {%- endif -%}
  {%- do adapter.remote_dialect(remote) -%}
{%- endmacro -%}
