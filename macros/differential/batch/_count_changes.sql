{# Counts the staged changes by kind, unless they were counted as they were written. #}
{%- macro _count_changes(job, batch) -%}
  {%- if not batch.result.counts -%}
    {#- A row that is logged only because of an added column is a backfill, not an update. -#}
    {%- set backfilled = 'cardinality(changed_columns) = 0' if batch.columns | selectattr('is_added') | list
        else 'false' -%}
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
    {%- do deltawave._update(
      batch.result,
      counts={'insert': row[0] | int, 'delete': row[1] | int, 'update': row[2] | int, 'backfill': row[3] | int}
    ) -%}
  {%- endif -%}
{%- endmacro -%}

{#
  The rows of the table after a batch of which only a part was landed, and those of its dump where the comparison has
  read all of it.
#}
{%- macro _count_rows(job, batch) -%}
  {%- if job.strategy.reads == 'dump' or batch.is_first -%}{{ return(none) }}{%- endif -%}
  {%- set rows_new = batch.rows_old + batch.result.counts['insert'] - batch.result.counts['delete'] -%}
  {#- The dump has the rows that are kept, except that quarantined rows take the place of those that are held. -#}
  {%- set rows_aside = batch.result.rows_dump - batch.result.rows_new -%}
  {%- do deltawave._update(batch.result, rows_new=rows_new) -%}
  {#- Where only rows that differ are landed, an empty dump is not noticed earlier. -#}
  {%- if job.strategy.reads == 'differences' -%}
    {%- do deltawave._update(batch.result, rows_dump=rows_new + rows_aside) -%}
    {%- do deltawave._check_rows(job, batch, batch.result.rows_dump) -%}
  {%- endif -%}
{%- endmacro -%}

{#
  The same dump again makes no batch. Exceptions: a dated dump, so that its date is recorded; quarantined rows; a slice
  after which the next run has to resume from a different place.
#}
{%- macro _is_unchanged(job, batch, last) -%}
  {%- set changes = batch.result.counts['insert'] + batch.result.counts['delete'] + batch.result.counts['update'] -%}
  {%- if changes or batch.result.quarantined or batch.is_first or batch.snapshot_date -%}
    {{ return(false) }}
  {%- endif -%}
  {{ return(not deltawave._has_other_columns(batch, last) and not deltawave._has_moved(job, batch, last)) }}
{%- endmacro -%}

{# Does the next slice have to resume from a different place than this one? #}
{%- macro _has_moved(job, batch, last) -%}
  {{ return(job.strategy.reads != 'dump' and (
    batch.reading.progress != deltawave._last_progress(job, last) or batch.fingerprint != last.fingerprint
    or batch.result.ranges != last.ranges or batch.result.state != last.state
      and not deltawave._has_drifted(job, batch, last)
  )) }}
{%- endmacro -%}
