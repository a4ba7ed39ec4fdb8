{# The result that dbt prints for the model: "2 batches: 15 inserts, 0 deletes, 81 updates". #}
{%- macro _outcome(job) -%}
  {%- set seen = job.outcome -%}
  {%- set skipped = ', ' ~ deltawave._count(seen.skipped, 'dump', 'dumps') ~ ' skipped' if seen.skipped else '' -%}
  {%- if seen.batches -%}
    {{ return(
      deltawave._count(seen.batches, 'batch', 'batches') ~ ': '
      ~ deltawave._count(seen['insert'], 'insert', 'inserts') ~ ', '
      ~ deltawave._count(seen['delete'], 'delete', 'deletes') ~ ', '
      ~ deltawave._count(seen['update'], 'update', 'updates')
      ~ (', ' ~ deltawave._count(seen['backfill'], 'row', 'rows') ~ ' backfilled' if seen['backfill'] else '')
      ~ (', ' ~ deltawave._count(seen['quarantined'], 'row', 'rows') ~ ' quarantined' if seen['quarantined'] else '')
      ~ skipped
    ) }}
  {%- endif -%}
  {{ return(
    ('no rows asked' if flags.EMPTY else 'no changes, source not read' if seen.is_unread else 'no changes') ~ skipped
  ) }}
{%- endmacro -%}

{#
  Adds a decided batch to the outcome, and prints a line about it on the terminal, or only in dbt.log if nothing has
  changed: "+14 -0 ~81 of 47,967, 1.6 s, hash_compressed", the inserts, deletes, updates, the rows after the batch, its
  duration and strategy.
#}
{%- macro _report_batch(job, batch, record) -%}
  {%- set counts = {
    'insert': record.inserts, 'delete': record.deletes, 'update': record.updates, 'backfill': record.backfilled,
    'quarantined': record.quarantined,
  } -%}
  {%- for kind in counts -%}
    {%- do job.outcome.update({kind: job.outcome[kind] + counts[kind]}) -%}
  {%- endfor -%}
  {%- do job.outcome.update(batches=job.outcome.batches + 1) -%}
  {%- set changes = '+' ~ record.inserts ~ ' -' ~ record.deletes ~ ' ~' ~ record.updates ~ ' of ' ~ record.rows_new -%}
  {%- set backfilled = ', ' ~ record.backfilled ~ ' backfilled' if record.backfilled else '' -%}
  {%- set quarantined = ', ' ~ record.quarantined ~ ' quarantined' if record.quarantined else '' -%}
  {%- set seconds = ', ' ~ '%.1f' | format(record.seconds | float) ~ ' s, ' -%}
  {%- set text = deltawave._with_commas(changes ~ backfilled ~ quarantined ~ seconds) ~ record.strategy -%}
  {%- do log('deltawave: ' ~ job.name ~ ': batch ' ~ batch.label ~ ': ' ~ text, info=counts.values() | sum > 0) -%}
{%- endmacro -%}
