{#
  A temporary view, owned by the attempt, over a query that runs at the remote; returns its quoted name. It is named by the relation: versions of a
  model share its name, and threads share a session.
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

{# The macro of that name for the remote's dialect, such as postgresql___remote_key. The connection's own dialect is Spark's. #}
{%- macro _in_dialect(job, name) -%}
  {{ return(deltawave[job.remote.dialect ~ '__' ~ name]) }}
{%- endmacro -%}

{# The model's select as a table to select from; on lines of its own, since it may end with a comment. #}
{%- macro _remote_dump(job) -%}
  {{ return('(\n' ~ job.remote.select.strip() ~ '\n) as ' ~ deltawave._remote_name(job, 'dump')) }}
{%- endmacro -%}
