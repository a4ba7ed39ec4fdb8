{#
  Writes the log and the quarantine without the rows, as a batch of its own, and lets the next batch compute its state
  from the log. Of a Parquet log only the partitions that have such rows are written again. Delta and Iceberg keep
  statistics and older files as long as the table, so there both become new tables. Returns the record.
#}
{%- macro _erase_from_log(work, subject) -%}
  {%- set job, last = work.job, work.record -%}
  {%- set log = deltawave._helper_relation(job, last.log) -%}
  {%- set held = {} -%}
  {%- for row in deltawave._run(job, deltawave._partitions_with(log, subject)).rows -%}
    {%- do held.update({row[0] ~ ' ' ~ row[1]: row[2] | int}) -%}
  {%- endfor -%}
  {%- set kept, replaced, removed = [], [], [] -%}
  {%- for partition in last.partitions -%}
    {%- set count = held.get(partition.batch_id ~ ' ' ~ partition.attempt) -%}
    {%- set target = kept if count is none else replaced -%}
    {%- do target.append(partition) -%}
    {%- do removed.append(count or 0) -%}
  {%- endfor -%}
  {%- set current = deltawave._run(job, deltawave._current_rows_of(work, subject)).rows[0][0] | int -%}
  {%- set own = deltawave._own_table(work.batch, 'slice') -%}
  {%- set batch = dict(work.batch, landed=deltawave._attempt_relation(job, own)) -%}
  {%- do deltawave._mark_attempt(job, batch) -%}
  {%- set changes = {
    'state': deltawave._log_alone(), 'ranges': none, 'progress': {}, 'rows_new': last.rows_new - current,
    'quarantine': deltawave._quarantine_without(job, batch, subject),
    'erased_at': deltawave._utc(modules.datetime.datetime.now(modules.pytz.utc)),
  } -%}
  {%- set partitions = kept -%}
  {%- if job.settings.file_format != 'parquet' -%}
    {%- set partitions = deltawave._rewrite_log(
      job, batch, last, batch.log_table, last.first_batch, last.batch_id, condition=deltawave._no_subject(subject)
    ) -%}
  {%- else -%}
    {%- set batch = dict(batch, log=last.log, staged_in=[last.log], result={'log_table': log}) -%}
    {%- if replaced -%}
      {%- do deltawave._stage_merged(job, batch, replaced, deltawave._no_subject(subject)) -%}
      {%- do changes.update(staged_in=[last.log]) -%}
      {%- set rows = replaced | map(attribute='rows') | sum - removed | sum -%}
      {%- set partitions = kept + [deltawave._merged_partition(batch, rows)] -%}
    {%- endif -%}
  {%- endif -%}
  {{ return(deltawave._commit_maintenance(
    dict(work, batch=batch), partitions, 'erased ' ~ deltawave._count(removed | sum, 'row', 'rows'), changes
  )) }}
{%- endmacro -%}

{%- macro _partitions_with(log, subject) -%}
select
    batch_id,
    attempt,
    count(*) as row_count
from {{ log }}
where {{ subject }}
group by batch_id, attempt
{%- endmacro -%}

{# How many of the rows are in the table as it is after the last batch. #}
{%- macro _current_rows_of(work, subject) -%}
  {%- set settings = work.job.settings -%}
  {%- set changes = '(select * from ' ~ work.job.target ~ ' where ' ~ subject ~ ')' -%}
select count(*) as row_count
from (
    {{ deltawave._indented(deltawave.current_state(
      changes, settings.unique_key, columns=work.record.columns, duplicate_keys=settings.duplicate_keys
    )) }}
)
{%- endmacro -%}

{# Writes the quarantined rows that stay into another table, if any has to go. Returns its name after x__. #}
{%- macro _quarantine_without(job, batch, subject) -%}
  {%- set table = deltawave._quarantine_relation(job) -%}
  {%- set has_history = job.settings.file_format != 'parquet' -%}
  {%- if not deltawave._is_there(job, table)
      or not has_history and not deltawave._row_count(job, '(select 1 from ' ~ table ~ ' where ' ~ subject ~ ')') -%}
    {{ return(job.quarantine) }}
  {%- endif -%}
  {%- set other = deltawave._own_table(batch, 'quarantine') -%}
  {%- set sql -%}
create table {{ deltawave._attempt_relation(job, other) }}
using {{ job.settings.file_format }}
partitioned by (batch_id, attempt)
{{ deltawave._name_mapping(job.settings.file_format, deltawave._columns_of(table)) }}
as
select *
from {{ table }}
where {{ deltawave._no_subject(subject) }}
  {%- endset -%}
  {%- do deltawave._run(job, sql) -%}
  {{ return('quarantine_' ~ batch.batch_id ~ '_' ~ batch.attempt) }}
{%- endmacro -%}

{# What killed runs have left, also of the batch that this operation has taken: now they can't be continued. #}
{%- macro _drop_leftovers(job, record) -%}
  {%- set names = deltawave._names_of_model(job) -%}
  {%- do deltawave._clear_leftovers(job, names, deltawave._commit_numbers(job, names), record) -%}
{%- endmacro -%}
