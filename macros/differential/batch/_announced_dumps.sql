{#
  Dates after `since` that a source announces by a folder, but that have no row in the select and no row in the folder: they count as empty dumps,
  which are refused unless allowed. `seen`: the dates of the select. If the folder has rows, the select left them out: that is a warning.
#}
{%- macro _dumps_without_rows(job, seen, since) -%}
  {%- set empty = {} -%}
  {%- for source in job.dated_sources -%}
    {%- set unread = [] -%}
    {%- for dump in deltawave._announced_dumps(job, source, since) if dump.batch_at not in seen and deltawave._asks_for(job, source, dump) -%}
      {%- if deltawave._has_rows(job, source, dump) -%}
        {%- do unread.append(dump.snapshot_date) -%}
      {%- else -%}
        {%- do log('deltawave: ' ~ job.name ~ ': ' ~ source.name ~ ' has a folder for ' ~ dump.snapshot_date ~ ' without rows', info=true) -%}
        {%- do empty.update({dump.batch_at: {'snapshot_date': dump.snapshot_date, 'batch_at': dump.batch_at}}) -%}
      {%- endif -%}
    {%- endfor -%}
    {%- if unread -%}
      {%- do exceptions.warn(deltawave._message('unread_dates', {
        'model': job.name, 'source': source.name, 'dates': unread | join(', '), 'column': job.settings.snapshot_date,
      })) -%}
    {%- endif -%}
  {%- endfor -%}
  {{ return(empty.values() | list) }}
{%- endmacro -%}

{#
  The dates of a source's folders after `since`: [{column, data_type, folder, snapshot_date, batch_at, folders}]. folder: the date as the folder names
  it; folders: those of that date, as `show partitions` lists them. Queried once per run.
#}
{%- macro _announced_dumps(job, source, since) -%}
  {%- if source.announced is none -%}{%- do source.update(announced=deltawave._all_announced_dumps(job, source)) -%}{%- endif -%}
  {{ return(source.announced | selectattr('batch_at', 'gt', since) | list) }}
{%- endmacro -%}

{%- macro _all_announced_dumps(job, source) -%}
  {%- set folders = deltawave._run(job, 'show partitions ' ~ source.files).rows | map(attribute=0) | list if source.partitions else [] -%}
  {%- set dumps = [] -%}
  {%- for column in source.partitions if folders and modules.re.match('date|timestamp|string|char|varchar', column.data_type) -%}
    {%- set place = source.partitions.index(column) -%}
    {%- set values = {} -%}
    {%- for folder in folders -%}{%- do values.setdefault(folder.split('/')[place].split('=', 1)[1], []).append(folder) -%}{%- endfor -%}
    {%- set sql -%}
with folders as (
    select
        escaped,
        url_decode(replace(escaped, '+', '%2B')) as folder
    from values
        {%- for value in values %}
        ({{ deltawave._literal(value) }}){{ ',' if not loop.last }}
        {%- endfor %} as listed(escaped)
),

dates as (
    select
        escaped,
        folder,
        try_cast(try_cast(folder as {{ column.data_type }}) as {{ job.snapshot_type }}) as snapshot_date
    from folders
),

dumps as (
    select
        escaped,
        folder,
        cast(snapshot_date as string) as snapshot_date,
        {{ deltawave._utc_text(deltawave._instant(job, 'snapshot_date')) }} as batch_at
    from dates
)

select
    folder,
    snapshot_date,
    batch_at,
    escaped
from dumps
where batch_at is not null
order by batch_at
    {%- endset -%}
    {%- for row in deltawave._run(job, sql).rows -%}
      {%- do dumps.append({
        'column': column.name,
        'data_type': column.data_type,
        'folder': row[0] | string,
        'snapshot_date': row[1] | string,
        'batch_at': row[2] | string,
        'folders': values[row[3]],
      }) -%}
    {%- endfor -%}
  {%- endfor -%}
  {{ return(dumps) }}
{%- endmacro -%}

{#
  Would the select read the folder for that date? Spark's plan shows it, since partition pruning resolves a condition on a date: if the select
  excludes the date, the plan is empty or the scan lists no folders. A column that the plan does not mention counts as the date if it has the
  date's name.
#}
{%- macro _asks_for(job, source, dump) -%}
  {%- set plan = deltawave._plan_of_date(job, '=', dump.snapshot_date) -%}
  {%- if modules.re.search('== Optimized Logical Plan ==\\s+LocalRelation <empty>', plan) -%}
    {{ return(false) }}
  {%- endif -%}
  {%- set tables = [] -%}
  {%- for table in source.tables -%}{%- do tables.append(modules.re.escape((table.schema ~ '.' ~ table.identifier ~ '[') | lower)) -%}{%- endfor -%}
  {%- set scans = [] -%}
  {%- for line in plan.split('== Physical Plan ==')[1].splitlines() if modules.re.search('(?<!\\w)(' ~ tables | join('|') ~ ')', line | lower) -%}
    {%- if modules.re.search('partitionfilters: .*(?<!\\w)' ~ modules.re.escape(dump.column | lower) ~ '#.*pushedfilters:', line | lower) -%}
      {%- do scans.append('(0 paths)' not in line) -%}
    {%- endif -%}
  {%- endfor -%}
  {{ return(true in scans if scans else dump.column | lower == job.settings.snapshot_date | lower) }}
{%- endmacro -%}

{# Spark's plans of the select with a condition on its date. #}
{%- macro _plan_of_date(job, operator, date) -%}
  {%- set sql -%}
explain extended
with dump as (
    {{ job.sql }}
)

select *
from dump
where {{ deltawave._quoted(job.settings.snapshot_date) }} {{ operator }} cast({{ deltawave._literal(date) }} as {{ job.snapshot_type }})
  {%- endset -%}
  {{ return(deltawave._run(job, sql).rows[0][0]) }}
{%- endmacro -%}

{%- macro _has_rows(job, source, dump) -%}
  {%- set sql -%}
select 1 as is_there
from {{ source.relation }}
where {{ deltawave._quoted(dump.column) }} = cast({{ deltawave._literal(dump.folder) }} as {{ dump.data_type }})
limit 1
  {%- endset -%}
  {{ return(deltawave._run(job, sql).rows | length > 0) }}
{%- endmacro -%}
