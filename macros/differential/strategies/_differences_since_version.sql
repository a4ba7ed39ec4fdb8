{#
  The differences of a table of Delta or Iceberg since the version that the last batch compared, found in the files that
  only one of both versions has: a row in any other file is as it was. None if all rows have to be read.

  The log's rows become before images, as ever. A key that a new file has for a second time gives other changes than are
  expected here: then the batch is compared once more, by all rows (see _compare_dump).
#}
{%- macro _differences_since_version(job, batch, last) -%}
  {%- if not batch.seen.version or job.strategy.reads != 'differences' or not deltawave._log_has_all_rows(job, batch)
      or deltawave._has_drifted(job, batch, last) -%}
    {{ return(none) }}
  {%- endif -%}
  {%- set changed = deltawave._view_by_python(
    job, batch, 'deltawave.table_versions.changed_rows', {'select': '(\n' ~ job.sql ~ '\n)'},
    {'since': batch.seen.version}, 'changed'
  ) -%}
  {%- set found = batch.result.measured -%}
  {%- set how = 'all files are read: ' ~ found.whole[0] if found.whole
      else found.files ~ ' files have changed, of ' ~ found.all_files ~ ' that the table has' -%}
  {%- do log('deltawave: ' ~ job.name ~ ': ' ~ how, info=true) -%}
  {%- if found.whole -%}{{ return(none) }}{%- endif -%}
  {%- do deltawave._refuse_cut_keys(job) -%}
  {%- do deltawave._create_slice(job, batch, deltawave._rows_that_files_change(job, batch, changed)) -%}
  {%- set counts = deltawave._counts_of_slice(job, batch) -%}
  {%- if counts.odd -%}
    {#- A full reading says what is wrong with them. -#}
    {%- do deltawave._drop_table(job, batch.landed) -%}
    {%- do deltawave._update(batch.result, measured={}) -%}
    {{ return(none) }}
  {%- elif not counts.rows and deltawave._may_be_idle(job, batch, last) -%}
    {{ return(deltawave._reading(incoming=none, is_idle=true)) }}
  {%- endif -%}
  {%- set keys = {'table': batch.landed | string, 'count': counts.rows} -%}
  {{ return(dict(
    deltawave._reading_of_differing(job, batch, 'is_there or was_kept', keys),
    checksums=counts.rows,
    expected=counts.expected,
  )) }}
{%- endmacro -%}

{#
  The rows of the new files that differ from those of the files that are gone, and the keys of deleted ones, as of
  _differing_rows. was_kept is null for a key that is null, or several times in the files of one version.
#}
{%- macro _rows_that_files_change(job, batch, changed) -%}
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

paired as (
    select
        unique_key,
        count_if(new_row is null) as old_rows,
        count_if(new_row is not null) as new_rows,
        {%- for half in ['row_checksum', 'row_checksum_high'] %}
        max(if(new_row is null, {{ half }}, null)) <=> max(if(new_row is null, null, {{ half }})) as is_same_{{ half }},
        {%- endfor %}
        first(new_row, true) as new_row
    from summed
    group by unique_key
)

select
    {%- for column in batch.columns if column.in_new %}
    {{ 'unique_key.' if column.is_key else 'new_row.' }}{{ deltawave._quoted(column.name) }},
    {%- endfor %}
    if(
        old_rows > 1 or new_rows > 1 or unique_key.{{ keys | join(' is null and unique_key.') }} is null,
        null,
        old_rows > 0
    ) as was_kept,
    new_rows > 0 as is_there
from paired
where old_rows <> new_rows
    or new_rows > 1
    or not (is_same_row_checksum and is_same_row_checksum_high)
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
