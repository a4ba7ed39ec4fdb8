{#
  Refuses a batch that would delete, insert or update too large a share of the rows before it (max_delete_fraction, by
  default half of them, and the like; deltawave_accept lets a run pass): in half a dump the other half seems
  deleted, and with a column that the source writes in another form all rows seem updated. A first batch has nothing
  to be compared with. An empty state has no share that could be too large.
#}
{%- macro _guard(job, batch) -%}
  {%- if not batch.is_first and not deltawave._is_accepted(job) -%}
    {#- The kinds of changes that the batch has and that an option limits: {kind: option}. A backfill is no update. -#}
    {%- set options = {
      'delete': 'max_delete_fraction', 'insert': 'max_insert_fraction', 'update': 'max_update_fraction',
    } -%}
    {%- set limits = {} -%}
    {%- for kind, option in options.items() if batch.result.counts[kind] > 0 and job.settings[option] is not none -%}
      {%- do limits.update({kind: option}) -%}
    {%- endfor -%}
    {%- set counted = deltawave._counted_changes(job, batch) if limits else none -%}
    {#- The decision: more rows have changed than the option allows. -#}
    {%- for kind, option in limits.items() if counted.rows_old > 0
        and counted.counts[kind] > job.settings[option] * counted.rows_old -%}
      {%- set earlier = [counted.counts[kind] - batch.result.counts[kind], 0] | max -%}
      {%- do deltawave._refuse(job, batch, 'too_many_' ~ kind ~ 's' ~ ('_in_rotation' if earlier else ''), {
        'count': counted.counts[kind], 'rows_old': counted.rows_old, 'earlier': earlier, 'limit': job.settings[option],
        'percent': '%.1f' | format(100.0 * counted.counts[kind] / counted.rows_old),
      }) -%}
    {%- endfor -%}
  {%- endif -%}
{%- endmacro -%}

{#
  The changes that are compared with the limits, and how many rows there were before them: {counts, rows_old}. If a run
  reads only some of the key ranges, the last changes of each range count, so that a loss is noticed in whichever range
  it starts.
#}
{%- macro _counted_changes(job, batch) -%}
  {%- if not batch.reading.rotation
      or batch.reading.rotation.read | length == batch.reading.rotation.ranges | length -%}
    {{ return({'counts': batch.result.counts, 'rows_old': batch.rows_old}) }}
  {%- endif -%}
  {%- set counts = deltawave._changes_of_rotation(job, batch) -%}
  {{ return({'counts': counts, 'rows_old': batch.result.rows_new + counts['delete'] - counts['insert']}) }}
{%- endmacro -%}
