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
  {%- if found.whole -%}
    {%- do log('deltawave: ' ~ job.name ~ ': all files are read: ' ~ found.whole[0], info=true) -%}
    {{ return(none) }}
  {%- endif -%}
  {%- do log(
    'deltawave: ' ~ job.name ~ ': ' ~ found.files ~ ' files have changed, of ' ~ found.all_files ~ ' that the table has',
    info=true
  ) -%}
  {%- set keys = deltawave._keys_of_changed_files(job, batch, changed) -%}
  {%- if keys.odd -%}
    {%- do deltawave._drop_table(job, keys.table) -%}
    {%- do deltawave._update(batch.result, measured={}) -%}
    {{ return(none) }}
  {%- elif not keys.count and deltawave._may_be_idle(job, batch, last) -%}
    {{ return(deltawave._reading(incoming=none, is_idle=true)) }}
  {%- endif -%}
  {%- set rows = deltawave._typed_rows(batch, 'select * from ' ~ changed ~ ' where `_is_there`') -%}
  {%- do deltawave._create_slice(job, batch, deltawave._differing_rows(job, batch, rows, keys)) -%}
  {{ return(dict(
    deltawave._reading_of_differing(job, batch, 'is_there or was_kept', keys),
    checksums=keys.count,
    expected=keys.expected,
  )) }}
{%- endmacro -%}

{#
  A table of the keys whose rows differ between the files that are gone and those that are new, as of _differing_keys:
  {table, count, expected, odd}. expected: how many changes they are, of each kind; odd: keys that are null, or several
  times in the files of one version.
#}
{%- macro _keys_of_changed_files(job, batch, changed) -%}
  {%- set keys = deltawave._quoted_list(job.settings.unique_key) -%}
  {%- set table = deltawave._attempt_relation(job, deltawave._own_table(batch, 'keys')) -%}
  {%- do deltawave._refuse_cut_keys(job) -%}
  {%- set sql -%}
create table {{ table }}
using {{ deltawave._state_format() }}
{{ deltawave._name_mapping(deltawave._state_format(), deltawave._key_columns(job)) }}
as
with old_rows as (
    {{ deltawave._indented(deltawave._typed_rows(batch, 'select * from ' ~ changed ~ ' where not `_is_there`')) }}
),

new_rows as (
    {{ deltawave._indented(deltawave._typed_rows(batch, 'select * from ' ~ changed ~ ' where `_is_there`')) }}
),

summed as (
    {%- for rows in ['old_rows', 'new_rows'] %}
    select
        {{ keys | join(',\n        ') }},
        {{ deltawave._checksum_cells(batch) | join(',\n        ') | indent }},
        {{ 'true' if rows == 'new_rows' else 'false' }} as is_there
    from {{ rows }}
    {{ 'union all' if not loop.last }}
    {%- endfor %}
),

counted as (
    select
        {{ keys | join(',\n        ') }},
        count_if(not is_there) as old_rows,
        count_if(is_there) as new_rows,
        {%- for half in ['row_checksum', 'row_checksum_high'] %}
        max(if(is_there, {{ half }}, null)) <=> max(if(is_there, null, {{ half }})) as is_same_{{ half }}{{ ',' if not loop.last }}
        {%- endfor %}
    from summed
    group by {{ keys | join(', ') }}
)

select
    {{ keys | join(',\n    ') }},
    old_rows > 0 as was_kept,
    new_rows > 0 as is_there,
    old_rows > 1 or new_rows > 1 or {{ keys | join(' is null and ') }} is null as is_odd,
    cast(null as bigint) as row_checksum,
    cast(null as bigint) as row_checksum_high
from counted
where old_rows <> new_rows
    or new_rows > 1
    or not (is_same_row_checksum and is_same_row_checksum_high)
  {%- endset -%}
  {%- do deltawave._run(job, sql) -%}
  {%- set counts = deltawave._run(job,
    'select count(*), count_if(is_odd), count_if(not was_kept), count_if(not is_there),'
    ~ ' count_if(was_kept and is_there) from ' ~ table
  ).rows[0] -%}
  {{ return({
    'table': table | string,
    'count': counts[0] | int,
    'odd': counts[1] | int,
    'expected': {'insert': counts[2] | int, 'delete': counts[3] | int, 'update': counts[4] | int, 'backfill': 0},
  }) }}
{%- endmacro -%}
