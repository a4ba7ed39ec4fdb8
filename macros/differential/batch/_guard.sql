{#
  Refuses a batch that would delete too much: half a dump looks just like a wave of deletes. Where a run reads a few ranges of the key, the
  deletes of a whole turn count, each range by its last reading: a loss is seen wherever in a turn it began.
#}
{%- macro _guard(job, batch) -%}
  {%- if batch.counts['delete'] > 0 and not deltawave._is_accepted(job) -%}
    {#- Only the rows that differ landed of it, so that its emptiness shows no earlier. -#}
    {%- if job.strategy.checksums == 'rows' and batch.rows_new == 0 and not job.settings.allow_empty -%}
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

{# The deletes that are judged, those of them that earlier batches made, and the rows before all of them: {deletes, earlier, rows_old}. #}
{%- macro _judged_deletes(job, batch) -%}
  {%- if not batch.turn or batch.turn.read | length == batch.turn.ranges | length -%}
    {{ return({'deletes': batch.counts['delete'], 'earlier': 0, 'rows_old': batch.rows_old}) }}
  {%- endif -%}
  {%- set turn = deltawave._changes_of_turn(job, batch) -%}
  {{ return({
    'deletes': turn.deletes,
    'earlier': [turn.deletes - batch.counts['delete'], 0] | max,
    'rows_old': batch.rows_new + turn.deletes - turn.inserts,
  }) }}
{%- endmacro -%}
