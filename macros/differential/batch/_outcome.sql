{# What dbt prints beside the model: "2 batches: 15 inserts, 0 deletes, 81 updates". #}
{%- macro _outcome(job) -%}
  {%- set seen = job.outcome -%}
  {%- if seen.batches -%}
    {{ return(deltawave._count(seen.batches, 'batch', 'batches') ~ ': ' ~ deltawave._changes_text(seen)) }}
  {%- endif -%}
  {{ return('no rows asked' if flags.EMPTY else 'no changes') }}
{%- endmacro -%}

{%- macro _report_batch(job, batch) -%}
  {%- for kind in batch.counts -%}
    {%- do job.outcome.update({kind: job.outcome[kind] + batch.counts[kind]}) -%}
  {%- endfor -%}
  {%- do job.outcome.update(batches=job.outcome.batches + 1) -%}
  {%- do log('deltawave: ' ~ job.name ~ ': batch ' ~ batch.label ~ ': ' ~ deltawave._changes_text(batch.counts), info=true) -%}
{%- endmacro -%}

{%- macro _changes_text(counts) -%}
  {{ return(
    deltawave._count(counts['insert'], 'insert', 'inserts') ~ ', '
    ~ deltawave._count(counts['delete'], 'delete', 'deletes') ~ ', '
    ~ deltawave._count(counts['update'], 'update', 'updates')
    ~ (', ' ~ deltawave._count(counts['backfill'], 'row', 'rows') ~ ' backfilled' if counts['backfill'] else '')
  ) }}
{%- endmacro -%}
