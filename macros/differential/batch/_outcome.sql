{# The result that dbt prints for the model: "2 batches: 15 inserts, 0 deletes, 81 updates". #}
{%- macro _outcome(job) -%}
  {%- set seen = job.outcome -%}
  {%- set skipped = ', ' ~ deltawave._count(seen.skipped, 'dump', 'dumps') ~ ' skipped' if seen.skipped else '' -%}
  {%- if seen.batches -%}
    {{ return(deltawave._count(seen.batches, 'batch', 'batches') ~ ': ' ~ deltawave._changes_text(seen) ~ skipped) }}
  {%- endif -%}
  {{ return(('no rows asked' if flags.EMPTY else 'no changes, source not read' if seen.is_unread else 'no changes') ~ skipped) }}
{%- endmacro -%}

{%- macro _report_batch(job, batch, counts) -%}
  {%- for kind in counts -%}
    {%- do job.outcome.update({kind: job.outcome[kind] + counts[kind]}) -%}
  {%- endfor -%}
  {%- do job.outcome.update(batches=job.outcome.batches + 1) -%}
  {%- do log('deltawave: ' ~ job.name ~ ': batch ' ~ batch.label ~ ': ' ~ deltawave._changes_text(counts), info=true) -%}
{%- endmacro -%}

{%- macro _changes_text(counts) -%}
  {{ return(
    deltawave._count(counts['insert'], 'insert', 'inserts') ~ ', '
    ~ deltawave._count(counts['delete'], 'delete', 'deletes') ~ ', '
    ~ deltawave._count(counts['update'], 'update', 'updates')
    ~ (', ' ~ deltawave._count(counts['backfill'], 'row', 'rows') ~ ' backfilled' if counts['backfill'] else '')
    ~ (', ' ~ deltawave._count(counts['quarantined'], 'row', 'rows') ~ ' quarantined' if counts['quarantined'] else '')
  ) }}
{%- endmacro -%}
