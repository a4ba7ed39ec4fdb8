{#
  Stops the run with a clear error, after dropping what this attempt has written: a refused dump changes nothing. Batches that the run committed
  before stay, and the message counts them.
#}
{%- macro _refuse(job, batch, code, values) -%}
  {%- do deltawave._discard(job, batch.staged_in, batch.batch_id, batch.attempt) -%}
  {%- do values.update(model=job.name, batch=batch.label) -%}
  {%- set message = deltawave._message(code, values) -%}
  {%- if job.outcome.batches -%}
    {%- set of_batch = ' in this batch; this run has committed ' ~ deltawave._count(job.outcome.batches, 'batch', 'batches') ~ ' before it' -%}
    {%- set message = message.replace('Nothing was changed', 'Nothing was changed' ~ of_batch) -%}
    {%- set message = message.replace('has changed nothing', 'has changed nothing' ~ of_batch) -%}
  {%- endif -%}
  {%- do deltawave._stop(code, message) -%}
{%- endmacro -%}
