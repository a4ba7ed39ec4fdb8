{#
  Writes the log and the quarantine without the rows, as a batch of its own, and lets the next batch compute its state
  from the log. Of a Parquet log only the partitions that have such rows are written again: on a disk, only their files
  that have such rows. Delta and Iceberg keep statistics and older files as long as the table, so there both become new
  tables. Returns the record.
#}
{%- macro _erase_from_log(work, subject) -%}
  {%- set job, last = work.job, work.record -%}
  {%- set log = deltawave._helper_relation(job, last.log) -%}
  {%- set held = {} -%}
  {%- set has_files = job.settings.file_format == 'parquet' and adapter.other_files is defined
      and '_metadata' not in deltawave._columns_of(log) | map(attribute='name') | map('lower') -%}
  {%- for row in deltawave._run(job, deltawave._partitions_with(log, subject, has_files)).rows -%}
    {%- do held.update({row[0] ~ ' ' ~ row[1]: {'rows': row[2] | int, 'files': fromjson(row[3])}}) -%}
  {%- endfor -%}
  {%- set kept, replaced, removed = [], [], [] -%}
  {%- for partition in last.partitions -%}
    {%- set found = held.get(partition.batch_id ~ ' ' ~ partition.attempt) -%}
    {%- if found -%}
      {%- do replaced.append(dict(partition, rows=partition.rows - found.rows, files=found.files)) -%}
      {%- do removed.append(found.rows) -%}
    {%- else -%}
      {%- do kept.append(partition) -%}
    {%- endif -%}
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
      {%- do changes.update(staged_in=[last.log]) -%}
      {%- set partitions = kept + deltawave._replace_partitions(job, batch, log, replaced, subject) -%}
    {%- endif -%}
  {%- endif -%}
  {{ return(deltawave._commit_maintenance(
    dict(work, batch=batch), partitions, 'erased ' ~ deltawave._count(removed | sum, 'row', 'rows'), changes
  )) }}
{%- endmacro -%}

{# files: their names, as JSON. #}
{%- macro _partitions_with(log, subject, has_files) -%}
select
    batch_id,
    attempt,
    count(*) as row_count,
    {{ 'to_json(collect_set(`_metadata`.file_name))' if has_files else "'[]'" }} as files
from {{ log }}
where {{ subject }}
group by batch_id, attempt
{%- endmacro -%}

{#
  Stages partitions of a Parquet log without the rows, and returns those that take their place: one for each that has
  other files on a disk, which it has, too, and a merged one for the rest.
#}
{%- macro _replace_partitions(job, batch, log, replaced, subject) -%}
  {%- set whole, others = [], [] -%}
  {%- for partition in replaced -%}
    {%- set folder = deltawave._staged_folder(job, partition, log) -%}
    {%- set files = adapter.other_files(folder, partition.files) if partition.files else [] -%}
    {%- if files -%}
      {%- set other = dict(partition, attempt=deltawave._replacing_attempt(batch)) -%}
      {%- do deltawave._stage_part(job, dict(batch, **other), log, partition, subject) -%}
      {%- do adapter.link_files(folder, files, deltawave._staged_folder(job, other, log)) -%}
      {%- do others.append({'batch_id': other.batch_id, 'attempt': other.attempt, 'rows': other.rows}) -%}
    {%- else -%}
      {%- do whole.append(partition) -%}
    {%- endif -%}
  {%- endfor -%}
  {%- if whole -%}
    {%- do deltawave._stage_merged(job, batch, whole, deltawave._no_subject(subject)) -%}
    {%- do others.append(deltawave._merged_partition(batch, whole | map(attribute='rows') | sum)) -%}
  {%- endif -%}
  {{ return(others) }}
{%- endmacro -%}

{# Stages what stays of a partition's files that have the subject. #}
{%- macro _stage_part(job, batch, log, partition, subject) -%}
  {%- set columns = deltawave._columns_of(log) | rejectattr('name', 'in', ['batch_id', 'attempt']) | list -%}
  {%- set files = [] -%}
  {%- for file in partition.files -%}{%- do files.append(deltawave._literal(file)) -%}{%- endfor -%}
  {%- set rows -%}
select
    {{ deltawave._quoted_list(columns | map(attribute='name')) | join(',\n    ') }}
from {{ log }}
where {{ deltawave._partition_of(partition, ' and ') }}
    and `_metadata`.file_name in ({{ files | join(', ') }})
    and {{ deltawave._no_subject(subject) }}
  {%- endset -%}
  {%- do deltawave._stage_rows(job, batch, log, columns, rows) -%}
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
