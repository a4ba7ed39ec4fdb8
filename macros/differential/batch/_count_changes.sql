{# Counts what was staged, by kind of change; a row that an added column alone brings into the log is no update but a backfill. #}
{%- macro _count_changes(job, batch) -%}
  {%- set has_added = batch.columns | selectattr('is_added') | list | length > 0 -%}
  {%- set sql -%}
select
    {{ "if(change_type = 'update' and coalesce(cardinality(changed_columns), 0) = 0, 'backfill', change_type)" if has_added else 'change_type' }} as kind,
    count(*) as change_count
from {{ batch.log_table }}
where batch_id = {{ deltawave._staged_number(job, batch.batch_id) }} and attempt = {{ deltawave._literal(batch.attempt) }}
group by kind
  {%- endset -%}
  {%- set counts = {'insert': 0, 'delete': 0, 'update': 0, 'backfill': 0} -%}
  {%- for row in deltawave._run(job, sql).rows -%}
    {%- do counts.update({row[0]: row[1] | int}) -%}
  {%- endfor -%}
  {%- do deltawave._update(batch, counts=counts) -%}
  {%- if job.strategy.reads != 'dump' and not batch.is_first -%}
    {%- do deltawave._update(batch, rows_new=batch.rows_old + counts['insert'] - counts['delete']) -%}
  {%- endif -%}
{%- endmacro -%}

{#
  The same dump again makes no batch. A dated one does, so that its date is known, and one of which rows were set aside, and a slice
  after which the next run has to go on elsewhere.
#}
{%- macro _is_unchanged(job, batch, last) -%}
  {%- set changes = batch.counts['insert'] + batch.counts['delete'] + batch.counts['update'] -%}
  {{ return(
    changes == 0 and not batch.quarantined and not batch.is_first and not batch.snapshot_date
    and not deltawave._is_reshaped(batch, last) and not deltawave._has_moved(job, batch, last)
  ) }}
{%- endmacro -%}

{# Has the log gained or lost a column, which readers have to see though no row has changed? #}
{%- macro _is_reshaped(batch, last) -%}
  {%- set gained = batch.columns | selectattr('in_new') | rejectattr('in_old') | list -%}
  {{ return(gained or batch.columns | length < last.columns | length) }}
{%- endmacro -%}

{# Does the next batch of a slice have to go on from elsewhere than this one? #}
{%- macro _has_moved(job, batch, last) -%}
  {{ return(job.strategy.reads != 'dump' and (
    batch.progress != deltawave._last_progress(job, last) or batch.fingerprint != last.fingerprint
    or batch.ranges != last.ranges or batch.kept != last.kept
  )) }}
{%- endmacro -%}
