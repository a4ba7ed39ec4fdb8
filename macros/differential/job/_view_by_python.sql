{#
  What a Python function returns, as a temporary view, quoted. The adapter drops the view before the model's next call of a function, or when the
  node ends, however it ends. suffix: says in the view's name what it holds.
#}
{%- macro _view_by_python(job, batch, function, relations, options, suffix) -%}
  {%- set view = job.target.schema ~ '__' ~ job.target.identifier ~ '__' ~ suffix ~ '_' ~ batch.batch_id ~ '_' ~ batch.attempt -%}
  {%- for message in adapter.compare_in_python(function, relations, options, view) or [] -%}
    {%- do log('deltawave: ' ~ job.name ~ ': ' ~ message, info=true) -%}
  {%- endfor -%}
  {%- do job.statements.append('-- the temporary view ' ~ deltawave._quoted(view) ~ ' is what ' ~ function ~ ' returned') -%}
  {{ return(deltawave._quoted(view)) }}
{%- endmacro -%}
