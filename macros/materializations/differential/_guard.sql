{# Refuses a batch that would delete too much: half a dump looks just like a wave of deletes. #}
{%- macro _guard(job, batch) -%}
  {%- set limit = job.settings.max_delete_fraction -%}
  {%- if batch.rows_old > 0 and batch.counts['delete'] > limit * batch.rows_old and not deltawave._is_accepted(job) -%}
    {%- do deltawave._refuse(job, batch, 'too_many_deletes', {
      'deletes': batch.counts['delete'],
      'rows_old': batch.rows_old,
      'percent': '%.1f' | format(100 * batch.counts['delete'] / batch.rows_old),
      'limit': limit,
    }) -%}
  {%- endif -%}
{%- endmacro -%}
