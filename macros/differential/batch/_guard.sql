{#
  Refuses a batch that would delete too much: half a dump looks just like a wave of deletes. If a run reads only some of the key ranges, the
  deletes of a whole rotation count, each range with its last reading, so that a loss is noticed in whichever range it starts.
#}
{%- macro _guard(job, batch) -%}
  {%- if batch.result.counts['delete'] > 0 and not deltawave._is_accepted(job) -%}
    {#- This strategy lands only the rows that differ, so an empty source cannot be noticed earlier. -#}
    {%- if job.strategy.checksums == 'rows' and batch.result.rows_new == 0 and not job.settings.allow_empty -%}
      {%- do deltawave._refuse(job, batch, 'empty_dump', {'rows_old': batch.rows_old}) -%}
    {%- endif -%}
    {%- set limit = job.settings.max_delete_fraction -%}
    {%- set judged = deltawave._judged_deletes(job, batch) -%}
    {%- if judged.deletes > limit * judged.rows_old -%}
      {%- do deltawave._refuse(job, batch, 'too_many_deletes_in_turn' if judged.earlier else 'too_many_deletes', dict(
        judged, percent='%.1f' | format(100 * judged.deletes / judged.rows_old), limit=limit
      )) -%}
    {%- endif -%}
  {%- endif -%}
{%- endmacro -%}

{# The deletes to judge, how many of them earlier batches made, and the rows before all of them: {deletes, earlier, rows_old}. #}
{%- macro _judged_deletes(job, batch) -%}
  {%- if not batch.reading.turn or batch.reading.turn.read | length == batch.reading.turn.ranges | length -%}
    {{ return({'deletes': batch.result.counts['delete'], 'earlier': 0, 'rows_old': batch.rows_old}) }}
  {%- endif -%}
  {%- set turn = deltawave._changes_of_turn(job, batch) -%}
  {{ return({
    'deletes': turn.deletes,
    'earlier': [turn.deletes - batch.result.counts['delete'], 0] | max,
    'rows_old': batch.result.rows_new + turn.deletes - turn.inserts,
  }) }}
{%- endmacro -%}
