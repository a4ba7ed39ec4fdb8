{#
  Stops the run with a clear error, after dropping what this attempt has written: a refused dump changes nothing.
  Batches that the run committed before stay, and the message counts them.
#}
{%- macro _refuse(job, batch, code, values) -%}
  {%- do deltawave._discard(job, batch.staged_in, batch.batch_id, batch.attempt) -%}
  {%- do values.update(model=job.name, batch=batch.label) -%}
  {%- set message = deltawave._message(code, values) -%}
  {%- if job.outcome.batches -%}
    {%- set of_batch = ' in this batch; this run has committed '
        ~ deltawave._count(job.outcome.batches, 'batch', 'batches') ~ ' before it' -%}
    {%- set message = message.replace('Nothing was changed', 'Nothing was changed' ~ of_batch) -%}
    {%- set message = message.replace('has changed nothing', 'has changed nothing' ~ of_batch) -%}
  {%- endif -%}
  {%- do deltawave._stop(code, message) -%}
{%- endmacro -%}

{#
  Drops everything that an undecided attempt has written, in `staged_in` (names after x__) and in tables of its own.
  The attempt's own tables are dropped
  last: while one exists, the next run knows that log rows may be left.
#}
{%- macro _discard(job, staged_in, batch_id, attempt) -%}
  {%- set names = deltawave._names_like(job, job.target.identifier ~ '__*') -%}
  {%- set present = names | map('lower') | list -%}
  {#- A rewritten log is a table of its own. -#}
  {%- for name in staged_in + [job.quarantine] if name != deltawave._rewritten_log(batch_id, attempt) -%}
    {%- set table = deltawave._helper_relation(job, name) -%}
    {%- if table.identifier | lower in present -%}
      {%- do deltawave._drop_staged(job, table, {'batch_id': batch_id, 'attempt': attempt}) -%}
    {%- endif -%}
  {%- endfor -%}
  {%- for side in deltawave._attempts_helpers(job, names, ['log', 'quarantine'] + deltawave._attempt_kinds()) -%}
    {%- if side.batch_id == batch_id and side.attempt == attempt -%}
      {%- do deltawave._drop_table(job, deltawave._attempt_relation(job, side)) -%}
    {%- endif -%}
  {%- endfor -%}
{%- endmacro -%}
