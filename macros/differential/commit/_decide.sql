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
{%- endmacro -%}

{%- macro _read_commit(job, batch_id) -%}
  {%- set row = deltawave._run(job, 'select record from ' ~ deltawave._commit_relation(job, batch_id)).rows[0] -%}
  {{ return(fromjson(row[0])) }}
{%- endmacro -%}
