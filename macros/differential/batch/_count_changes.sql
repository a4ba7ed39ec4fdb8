{# Counts the staged changes by kind, unless they were counted as they were written. #}
{%- macro _count_changes(job, batch) -%}
  {%- if not batch.result.counts -%}
    {%- do deltawave._update(batch.result, counts=deltawave._count_staged(job, batch)) -%}
  {%- endif -%}
  {%- if job.strategy.reads != 'dump' and not batch.is_first -%}
    {%- do deltawave._count_rows(job, batch, batch.result.counts) -%}
  {%- endif -%}
{%- endmacro -%}

{# A row that is logged only because of an added column is a backfill, not an update. #}
{%- macro _count_staged(job, batch) -%}
  {%- set backfilled = 'cardinality(changed_columns) = 0' if batch.columns | selectattr('is_added') | list else 'false' -%}
  {%- set sql -%}
select
    count_if(change_type = 'insert') as inserts,
    count_if(change_type = 'delete') as deletes,
    count_if(change_type = 'update' and not coalesce({{ backfilled }}, false)) as updates,
    count_if(change_type = 'update' and {{ backfilled }}) as backfills,
    count_if(change_type is null or change_type not in ('insert', 'delete', 'update')) as others
from {{ deltawave._staged_rows(job, batch, batch.result.log_table) }}
  {%- endset -%}
  {%- set row = deltawave._run(job, sql).rows[0] -%}
  {%- if row[4] | int -%}
    {%- do deltawave._refuse(job, batch, 'change_types', {'comparison': job.strategy.comparison, 'count': row[4]}) -%}
  {%- endif -%}
  {{ return({'insert': row[0] | int, 'delete': row[1] | int, 'update': row[2] | int, 'backfill': row[3] | int}) }}
{%- endmacro -%}
