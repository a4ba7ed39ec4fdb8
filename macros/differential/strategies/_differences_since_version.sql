{#
  The differences of a table of Delta or Iceberg since the version that the last batch compared: from Delta's change data
  feed, or from the files that only one of both versions has, since a row in any other file is as it was. None if all
  rows have to be read.

  The log's rows become before images, as ever. If a new file has a key that an unchanged file has, too, the changes are
  other ones than `expected`, and all rows are compared (see _compare_dump).
#}
{%- macro _differences_since_version(job, batch, last) -%}
  {%- if not last or not job.source_version or job.strategy.reads != 'differences'
      or job.settings.tolerance or not deltawave._log_has_all_rows(job, batch) -%}
    {{ return(none) }}
  {%- elif deltawave._has_drifted(job, batch, last) -%}
    {{ return(deltawave._left_to_all_rows(job, batch, 'the columns have changed')) }}
  {%- elif job.strategy.library and last.rows_new < adapter.dispatch('_few_for_versions', 'deltawave')() -%}
    {{ return(none) }}
  {%- elif not batch.seen.version -%}
    {{ return(deltawave._left_to_all_rows(job, batch, 'the last run did not remember a version, or had other options')) }}
  {%- endif -%}
  {%- set changed = deltawave._view_by_python(
    job, batch, 'deltawave.table_versions.changed_rows', {'select': '(\n' ~ job.sql ~ '\n)'},
    {
      'since': batch.seen.version,
      'feed_rows': batch.rows_old // 4 if deltawave._compares_all_columns(job, batch) else 0,
    }, 'changed'
  ) -%}
  {%- set found = batch.result.measured -%}
  {%- if found.whole -%}
    {{ return(deltawave._left_to_all_rows(job, batch, found.whole[0])) }}
  {%- endif -%}
  {%- set read = 'the change data feed of ' ~ found.commits ~ ' commits is read' if found.commits
      else found.files ~ ' files have changed, of ' ~ found.all_files ~ ' that the table has' -%}
  {%- do log('deltawave: ' ~ job.name ~ ': ' ~ read, info=true) -%}
  {%- do deltawave._refuse_cut_keys(job) -%}
  {%- set sql = deltawave._slice_statement(job, batch, deltawave._rows_that_have_changed(job, batch, changed)) -%}
  {%- do job.statements.append(sql) -%}
  {%- if not adapter.try_statement(sql) -%}
    {{ return(deltawave._left_to_all_rows(
      job, batch, 'what has changed could not be read, perhaps after a VACUUM; the log of dbt has the error'
    )) }}
  {%- endif -%}
  {%- set counts = deltawave._counts_of_slice(job, batch) -%}
  {%- if counts.odd -%}
    {{ return(deltawave._left_to_all_rows(job, batch, 'a key is null, or in several rows that have changed')) }}
  {%- elif not counts.rows and deltawave._may_be_idle(job, batch, last)
      and deltawave._row_count(job, deltawave._attempt_relation(job, last.state)) == last.state.rows -%}
    {{ return(deltawave._reading(incoming=none, is_idle=true)) }}
  {%- endif -%}
  {%- set keys = {'table': batch.landed | string, 'count': counts.rows} -%}
  {{ return(dict(
    deltawave._reading_of_differing(job, batch, 'is_there or was_kept', keys),
    checksums=counts.rows,
    expected=counts.expected,
  )) }}
{%- endmacro -%}

{# DuckDB reads a smaller table whole in the time in which Spark finds out which files have changed. #}
{%- macro default___few_for_versions() -%}{{ return(4000000) }}{%- endmacro -%}

{# None, so that all rows are read; nothing of what was tried is left. #}
{%- macro _left_to_all_rows(job, batch, reason) -%}
  {%- do log('deltawave: ' ~ job.name ~ ': all rows are read: ' ~ reason, info=true) -%}
  {%- do deltawave._drop_table(job, batch.landed) -%}
  {%- do deltawave._update(batch.result, measured={}) -%}
  {{ return(none) }}
{%- endmacro -%}

{#
  A feed has a row once for each commit that wrote it. Of equal ones any may be taken, unless columns that are not
  compared differ.
#}
{%- macro _compares_all_columns(job, batch) -%}
  {%- set others = batch.columns | rejectattr('is_key') | rejectattr('is_chosen') | list -%}
  {{ return(not others and job.select_columns | length == batch.columns | selectattr('in_new') | list | length) }}
{%- endmacro -%}

{#
  The rows that the table has now and did not have, and the keys of deleted ones, as of _differing_rows. was_kept is null
  for a key that is null, or several times in one version.
#}
{%- macro _rows_that_have_changed(job, batch, changed) -%}
{%- set keys = deltawave._quoted_list(job.settings.unique_key) -%}
with old_rows as (
    {{ deltawave._indented(deltawave._typed_rows(batch, 'select * from ' ~ changed ~ ' where not is_there')) }}
),

new_rows as (
    {{ deltawave._indented(deltawave._typed_rows(batch, 'select * from ' ~ changed ~ ' where is_there')) }}
),

{# The key in a struct: whatever its columns are called, they are none of these. -#}
summed as (
    {%- for rows in ['old_rows', 'new_rows'] %}
    select
        struct({{ keys | join(', ') }}) as unique_key,
        {{ deltawave._checksum_cells(batch) | join(',\n        ') }},
        {{ 'struct(*)' if rows == 'new_rows' else 'null' }} as new_row
    from {{ rows }}
    {{ 'union all' if not loop.last }}
    {%- endfor %}
),

{# A row that was only moved, or came and went, is as often lost as gained. -#}
netted as (
    select
        unique_key,
        count_if(new_row is not null) - count_if(new_row is null) as copies,
        first(new_row, true) as new_row
    from summed
    group by unique_key, row_checksum, row_checksum_high
    having copies <> 0
),

paired as (
    select
        unique_key,
        count_if(copies < 0) as old_rows,
        count_if(copies > 0) as new_rows,
        max(abs(copies)) as most_copies,
        first(if(copies > 0, new_row, null), true) as new_row
    from netted
    group by unique_key
)

select
    {%- for column in batch.columns if column.in_new %}
    {{ 'unique_key.' if column.is_key else 'new_row.' }}{{ deltawave._quoted(column.name) }},
    {%- endfor %}
    if(
        greatest(old_rows, new_rows, most_copies) > 1 or unique_key.{{ keys | join(' is null and unique_key.') }} is null,
        null,
        old_rows > 0
    ) as was_kept,
    new_rows > 0 as is_there
from paired
{%- endmacro -%}

{# What has landed: {rows, odd, expected}; expected: how many changes of each kind the rows are. #}
{%- macro _counts_of_slice(job, batch) -%}
  {%- set sql -%}
select
    count(*),
    count_if(was_kept is null),
    count_if(not was_kept),
    count_if(not is_there),
    count_if(was_kept and is_there)
from {{ batch.landed }}
  {%- endset -%}
  {%- set row = deltawave._run(job, sql).rows[0] -%}
  {{ return({
    'rows': row[0] | int,
    'odd': row[1] | int,
    'expected': {'insert': row[2] | int, 'delete': row[3] | int, 'update': row[4] | int, 'backfill': 0},
  }) }}
{%- endmacro -%}
