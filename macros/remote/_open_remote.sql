{#
  A model whose option `remote` names a database: its select runs there, in that database's dialect. The job keeps the
  select in job.remote:
  {name, dialect, select, padded, views}, and reads it through a temporary view, so that no SQL contains a secret.
#}
{%- macro _open_remote(job) -%}
  {%- set name = job.settings.remote -%}
  {%- do deltawave._require_remote(job.name, name) -%}
  {%- do deltawave._update(
    job, remote={'name': name, 'dialect': adapter.remote_dialect(name), 'select': job.sql, 'padded': {}, 'views': []}
  ) -%}
  {%- do deltawave._update(job, sql='select * from ' ~ deltawave._remote_view(job, job.sql)) -%}
{%- endmacro -%}

{# Stops if the adapter cannot read databases (stock dbt-spark), or knows none of that name. Opens no connection. #}
{%- macro _require_remote(model_name, remote) -%}
  {%- if adapter.remote_view is not defined -%}
    {%- do deltawave._fail('remote_adapter', {'model': model_name, 'remote': remote}) -%}
  {%- endif -%}
  {%- do adapter.remote_dialect(remote) -%}
{%- endmacro -%}

{#
  A temporary view, owned by the attempt, over a query that runs at the remote; returns its quoted name. It is named by
  the relation: versions of a model share its name, and threads share a session.
#}
{%- macro _remote_view(job, query) -%}
  {%- set name = 'deltawave_' ~ job.target.schema ~ '__' ~ job.target.identifier ~ '_' ~ job.attempt -%}
  {%- set number = job.remote.views | length + 1 -%}
  {%- set view = name if number == 1 else name ~ '_' ~ number -%}
  {%- set padded = adapter.remote_view(job.remote.name, query, view) -%}
  {%- do job.remote.views.append(view) -%}
  {%- do job.remote.padded.update(padded) -%}
  {{ return(deltawave._quoted(view)) }}
{%- endmacro -%}

{# The macro of that name for the remote's dialect, such as postgresql___remote_key. #}
{%- macro _in_dialect(job, name) -%}{{ return(deltawave[job.remote.dialect ~ '__' ~ name]) }}{%- endmacro -%}

{# The model's select as a table to select from; on lines of its own, since it may end with a comment. #}
{%- macro _remote_dump(job) -%}
  {{ return('(\n' ~ job.remote.select.strip() ~ '\n) as ' ~ deltawave._remote_name(job, 'dump')) }}
{%- endmacro -%}

{# A name as the database quotes it. #}
{%- macro _remote_name(job, name) -%}
  {%- set quote = '`' if job.remote.dialect == 'mysql' else '"' -%}
  {{ return(quote ~ name | string | replace(quote, quote * 2) ~ quote) }}
{%- endmacro -%}
