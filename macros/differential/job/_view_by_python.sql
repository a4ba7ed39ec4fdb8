{#
  What a Python function returns, as a temporary view, quoted. The adapter drops the view before the model's next call of a function, or when the
  node ends, however it ends. suffix: says in the view's name what it holds. What the function measured becomes the batch's.
#}
{%- macro _view_by_python(job, batch, function, relations, options, suffix) -%}
  {%- set view = deltawave._temporary_name(job, batch, suffix) -%}
  {%- set told = adapter.compare_in_python(function, relations, options, view) or {'messages': [], 'measured': {}} -%}
  {%- for message in told.messages -%}{%- do log('deltawave: ' ~ job.name ~ ': ' ~ message, info=true) -%}{%- endfor -%}
  {%- if told.measured -%}{%- do deltawave._update(batch, measured=told.measured) -%}{%- endif -%}
  {%- do job.statements.append('-- the temporary view ' ~ deltawave._quoted(view) ~ ' is what ' ~ function ~ ' returned') -%}
  {{ return(deltawave._quoted(view)) }}
{%- endmacro -%}

{# The name of a temporary view, which no other model of the session has, whatever its schema and its name are made of. #}
{%- macro _temporary_name(job, batch, suffix) -%}
  {%- set model = [job.target.schema, job.target.identifier] -%}
  {{ return(model | join('__') ~ '__' ~ suffix ~ '_' ~ batch.batch_id ~ '_' ~ batch.attempt ~ '_' ~ local_md5(tojson(model))[:8]) }}
{%- endmacro -%}
