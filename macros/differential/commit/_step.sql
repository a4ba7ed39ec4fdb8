{# Logs the name of the next step. Dispatched, so that a project can watch (or, in a test, stop) a batch at any step. #}
{%- macro _step(job, batch, name) -%}
  {{ return(adapter.dispatch('_step', 'deltawave')(job, batch, name)) }}
{%- endmacro -%}

{%- macro default___step(job, batch, name) -%}
  {%- do log('deltawave: ' ~ job.name ~ ': batch ' ~ batch.batch_id ~ ': ' ~ name) -%}
{%- endmacro -%}
