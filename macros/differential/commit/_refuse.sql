{# Stops the run with a clear error, after dropping what this attempt has written: a refused dump changes nothing. #}
{%- macro _refuse(job, batch, code, values) -%}
  {%- do deltawave._discard(job, batch.log, batch.batch_id, batch.attempt) -%}
  {%- do values.update(model=job.name, batch=batch.label) -%}
  {%- do deltawave._fail(code, values) -%}
{%- endmacro -%}
