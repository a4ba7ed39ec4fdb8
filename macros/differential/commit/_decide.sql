{#
  The decision: one plain `create view`, at which the catalog lets exactly one writer succeed. The view's only row is the record of the batch.
  "if not exists" lets the loser read the winner's record and name it in the error.
#}
{%- macro _decide(job, batch, record) -%}
  {%- set commit = deltawave._commit_relation(job, batch.batch_id) -%}
  {%- do deltawave._run(job, 'create view if not exists ' ~ commit ~ ' as select ' ~ deltawave._literal(tojson(record)) ~ ' as record') -%}
  {%- set decided = deltawave._read_commit(job, batch.batch_id) -%}
  {%- if decided.attempt != batch.attempt -%}
    {%- do deltawave._refuse(job, batch, 'lost_the_batch', {'winner': decided.attempt, 'attempt': batch.attempt}) -%}
  {%- endif -%}
  {#- The newest decision always stays, but older ones are dropped, so a late writer may find its number free. -#}
  {%- set last = deltawave._last_commit(job) -%}
  {%- if last > batch.batch_id -%}
    {#- Or others have finished this very batch, which they recorded, and continued. -#}
    {%- if deltawave._is_decided(job, batch.batch_id, batch.attempt) -%}
      {%- do deltawave._fail('overtaken', {'model': job.name, 'batch': batch.batch_id, 'last': last}) -%}
    {%- endif -%}
    {%- do deltawave._run(job, 'drop view if exists ' ~ commit) -%}
    {%- do deltawave._refuse(job, batch, 'decided_too_late', {'last': last, 'attempt': batch.attempt}) -%}
  {%- endif -%}
{%- endmacro -%}

{# The number of the newest decision; 0 before the first one. #}
{%- macro _last_commit(job) -%}
  {%- set numbers = deltawave._commit_numbers(job, deltawave._names_like(job, job.target.identifier ~ '__commit_*')) -%}
  {{ return(numbers | max if numbers else 0) }}
{%- endmacro -%}

{%- macro _read_commit(job, batch_id) -%}
  {%- set row = deltawave._run(job, 'select record from ' ~ deltawave._commit_relation(job, batch_id)).rows[0] -%}
  {{ return(fromjson(row[0])) }}
{%- endmacro -%}
