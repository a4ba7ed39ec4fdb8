{# Counts the staged changes by kind; a row that is logged only because of an added column is a backfill, not an update. #}
{%- macro _count_changes(job, batch) -%}
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
  {%- set counts = {'insert': row[0] | int, 'delete': row[1] | int, 'update': row[2] | int, 'backfill': row[3] | int} -%}
  {%- do deltawave._update(batch.result, counts=counts) -%}
  {%- if job.strategy.reads != 'dump' and not batch.is_first -%}
    {%- set rows_new = batch.rows_old + counts['insert'] - counts['delete'] -%}
    {#- The dump has the rows that are kept, except that quarantined rows take the place of those that are held. -#}
    {%- set rows_aside = batch.result.rows_dump - batch.result.rows_new -%}
    {%- if job.strategy.reads == 'differences' -%}{%- do deltawave._update(batch.result, rows_dump=rows_new + rows_aside) -%}{%- endif -%}
    {%- do deltawave._update(batch.result, rows_new=rows_new) -%}
    {#- Where only rows that differ are landed, an empty dump is not noticed earlier. -#}
    {%- if job.strategy.checksums == 'rows' -%}{%- do deltawave._check_rows(job, batch, rows_new + batch.result.quarantined) -%}{%- endif -%}
    {%- if job.strategy.reads == 'differences' -%}{%- do deltawave._check_expected_rows(job, batch, batch.result.rows_dump) -%}{%- endif -%}
  {%- endif -%}
{%- endmacro -%}

{#
  The same dump again makes no batch. Exceptions: a dated dump, so that its date is recorded; quarantined rows; a slice after which the next run has
  to resume from a different place; and other files, or a copy instead of files, with which the next dump is compared.
#}
{%- macro _is_unchanged(job, batch, last) -%}
  {%- set changes = batch.result.counts['insert'] + batch.result.counts['delete'] + batch.result.counts['update'] -%}
  {%- if changes or batch.result.quarantined or batch.is_first or batch.snapshot_date -%}
    {{ return(false) }}
  {%- endif -%}
  {#- Readers have to see that the log has gained or lost a column, even if no row has changed. -#}
  {%- set gained = batch.columns | selectattr('in_new') | rejectattr('in_old') | list -%}
  {{ return(not gained and batch.columns | length >= last.columns | length and not deltawave._has_moved(job, batch, last)) }}
{%- endmacro -%}

{# Does the next slice have to resume from a different place than this one, or the next dump be compared with other files? #}
{%- macro _has_moved(job, batch, last) -%}
  {%- if deltawave._form_of(last.state).in_place -%}
    {#- A copy replaces a list of files that may be deleted. -#}
    {{ return(batch.result.state.get('digest') != last.state.digest) }}
  {%- endif -%}
  {{ return(job.strategy.reads != 'dump' and (
    batch.reading.progress != deltawave._last_progress(job, last) or batch.fingerprint != last.fingerprint
    or batch.result.ranges != last.ranges or batch.result.state != last.state and not deltawave._has_drifted(job, batch, last)
  )) }}
{%- endmacro -%}
