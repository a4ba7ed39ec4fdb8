{#
  What a Python function returns, as a temporary view, quoted. The adapter drops the view before the model's next call of a function, or when the
  node ends, however it ends. suffix: says in the view's name what it holds. What the function measured becomes the batch's.
#}
{%- macro _view_by_python(job, batch, function, relations, options, suffix) -%}
  {%- set view = job.target.schema ~ '__' ~ job.target.identifier ~ '__' ~ suffix ~ '_' ~ batch.batch_id ~ '_' ~ batch.attempt -%}
  {%- set told = adapter.compare_in_python(function, relations, options, view) or {'messages': [], 'measured': {}} -%}
  {%- for message in told.messages -%}{%- do log('deltawave: ' ~ job.name ~ ': ' ~ message, info=true) -%}{%- endfor -%}
  {%- if told.measured -%}{%- do deltawave._update(batch, measured=told.measured) -%}{%- endif -%}
  {%- do job.statements.append('-- the temporary view ' ~ deltawave._quoted(view) ~ ' is what ' ~ function ~ ' returned') -%}
  {{ return(deltawave._quoted(view)) }}
{%- endmacro -%}
