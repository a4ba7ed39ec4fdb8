{#
  A Python function's result as a temporary view; returns its quoted name. The adapter drops the view before the model's next call of a function, or
  when the node ends, however it ends. suffix: the part of the view's name for what it holds. Figures that the function measured are added to the
  batch's result.
#}
{%- macro _view_by_python(job, batch, function, relations, options, suffix) -%}
  {%- set view = deltawave._temporary_name(job, batch, suffix) -%}
  {%- set reported = adapter.view_by_python(function, relations, options, view) or {'messages': [], 'measured': {}} -%}
  {%- for message in reported.messages -%}{%- do log('deltawave: ' ~ job.name ~ ': ' ~ message, info=true) -%}{%- endfor -%}
  {%- if reported.measured -%}{%- do deltawave._update(batch.result, measured=reported.measured) -%}{%- endif -%}
  {%- do job.statements.append('-- the temporary view ' ~ deltawave._quoted(view) ~ ' is what ' ~ function ~ ' returned') -%}
  {{ return(deltawave._quoted(view)) }}
{%- endmacro -%}

{# The name of a temporary view, unique among the session's models, whatever characters their schemas and names contain. #}
{%- macro _temporary_name(job, batch, suffix) -%}
  {%- set model = [job.target.schema, job.target.identifier] -%}
  {{ return(model | join('__') ~ '__' ~ suffix ~ '_' ~ batch.batch_id ~ '_' ~ batch.attempt ~ '_' ~ local_md5(tojson(model))[:8]) }}
{%- endmacro -%}
