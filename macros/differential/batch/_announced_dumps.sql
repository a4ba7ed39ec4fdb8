{#
  Dates after `since` that a source announces by a folder, but that have no row in the select and no row in the folder:
  they count as empty dumps, which are refused unless allowed. `seen`: the orders of the select's dates. If the folder
  has rows, the select left them out: that is a warning, unless another source announces an empty dump of that date,
  like one whose count is 0.
#}
{%- macro _dumps_without_rows(job, seen, since) -%}
  {%- set empty = {} -%}
  {%- set with_rows = {} -%}
  {%- for source in job.dated_sources -%}
    {%- for dump in deltawave._announced_dumps(job, source, since) if dump.order not in seen -%}
      {%- set plan = deltawave._plan_of_date(job, '=', dump.snapshot_date) -%}
      {%- set is_asked_for = deltawave._asks_for(job, source, dump, plan) -%}
      {%- if is_asked_for and deltawave._has_rows(job, source, dump) -%}
        {%- do with_rows.setdefault(source.name, []).append(dump) -%}
      {%- elif is_asked_for and deltawave._is_source_of_dumps(job, source, plan) -%}
        {%- do log(
          'deltawave: ' ~ job.name ~ ': ' ~ source.name ~ ' has a folder for ' ~ dump.snapshot_date ~ ' without rows',
          info=true
        ) -%}
        {%- do empty.update({dump.order: {
          'snapshot_date': dump.snapshot_date, 'batch_at': dump.batch_at, 'order': dump.order,
        }}) -%}
      {%- endif -%}
    {%- endfor -%}
  {%- endfor -%}
  {%- for name, dumps in with_rows.items() -%}
    {%- set unread = dumps | rejectattr('order', 'in', empty) | map(attribute='snapshot_date') | list -%}
    {%- if unread -%}
      {%- do exceptions.warn(deltawave._message('unread_dates', {
        'model': job.name, 'source': name, 'dates': unread | join(', '), 'column': job.settings.snapshot_date,
      })) -%}
    {%- endif -%}
  {%- endfor -%}
  {{ return(empty.values() | list) }}
{%- endmacro -%}

{#
  The dates of a source's folders, or those after `since`: [{column, data_type, folder, snapshot_date, batch_at, order,
  folders}]. folder: the date as the folder names it; folders: those of that date, as `show partitions` lists them.
  Queried once per run.
#}
{%- macro _announced_dumps(job, source, since=none) -%}
  {%- if source.announced is none -%}
    {%- do source.update(announced=deltawave._all_announced_dumps(job, source)) -%}
  {%- endif -%}
  {{ return(source.announced if since is none else source.announced | selectattr('order', 'gt', since) | list) }}
{%- endmacro -%}

{%- macro _all_announced_dumps(job, source) -%}
  {%- set folders = deltawave._run(job, 'show partitions ' ~ source.files).rows | map(attribute=0) | list
      if source.partitions else [] -%}
  {%- set dumps = [] -%}
  {%- for column in source.partitions if folders and deltawave._names_dumps(job, column) -%}
    {%- set place = source.partitions.index(column) -%}
    {%- set values = {} -%}
    {%- for folder in folders -%}
      {%- do values.setdefault(folder.split('/')[place].split('=', 1)[1], []).append(folder) -%}
    {%- endfor -%}
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
        {{ deltawave._time_of_dump(job, 'snapshot_date') }} as batch_at
    from dates
    where snapshot_date is not null and folder <> '__HIVE_DEFAULT_PARTITION__'
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
      {%- set dump = {
        'column': column.name,
        'data_type': column.data_type,
        'folder': row[0] | string,
        'snapshot_date': row[1] | string,
        'batch_at': row[2] | string,
        'folders': values[row[3]],
      } -%}
      {%- do dumps.append(dict(dump, order=deltawave._order_of_dump(job, dump))) -%}
    {%- endfor -%}
  {%- endfor -%}
  {{ return(dumps) }}
{%- endmacro -%}

{#
  Would the select read the folder for that date? Spark's plan shows it, since partition pruning resolves a condition
  on a date: if the select excludes the date, the plan is empty or the scan lists no folders. A column that the plan
  does not mention counts as the date if it has the date's name.
#}
{%- macro _asks_for(job, source, dump, plan) -%}
  {%- if modules.re.search('== Optimized Logical Plan ==\\s+LocalRelation <empty>', plan) -%}
    {{ return(false) }}
  {%- endif -%}
  {%- set tables = [] -%}
  {%- for table in source.tables -%}
    {%- do tables.append(modules.re.escape((table.schema ~ '.' ~ table.identifier ~ '[') | lower)) -%}
  {%- endfor -%}
  {%- set scans = [] -%}
  {%- for line in plan.split('== Physical Plan ==')[1].splitlines()
      if modules.re.search('(?<!\\w)(' ~ tables | join('|') ~ ')', line | lower) -%}
    {%- if modules.re.search(
      'partitionfilters: .*(?<!\\w)' ~ modules.re.escape(dump.column | lower) ~ '#.*pushedfilters:', line | lower
    ) -%}
      {%- do scans.append('(0 paths)' not in line) -%}
    {%- endif -%}
  {%- endfor -%}
  {{ return(true in scans if scans else dump.column | lower == job.settings.snapshot_date | lower) }}
{%- endmacro -%}

{#
  Can the select have rows of that source? A source that only -- depends_on names, like one of row counts, is not in
  the plan, which reads others: its folders are no dumps. The plan does not show a source behind a table: such a one
  counts unless the plan reads another dated source.
#}
{%- macro _is_source_of_dumps(job, source, plan) -%}
  {%- set optimized = plan.split('== Optimized Logical Plan ==')[1] | lower | replace('`', '') -%}
  {%- if deltawave._is_in_plan(source, optimized) -%}{{ return(true) }}{%- endif -%}
  {%- set values = '[ :+-]*(LocalRelation|OneRowRelation|Range)\\b' -%}
  {%- for scan in deltawave._scans(plan) if source.is_read and not modules.re.match(values, scan.line) -%}
    {{ return(false) }}
  {%- endfor -%}
  {%- for other in job.dated_sources if deltawave._is_in_plan(other, optimized) -%}{{ return(false) }}{%- endfor -%}
  {{ return(true) }}
{%- endmacro -%}

{# Does a plan, in lower case and without quotes, name a table of the source? #}
{%- macro _is_in_plan(source, plan) -%}
  {%- for table in source.tables -%}
    {%- set name = modules.re.escape((table.schema ~ '.' ~ table.identifier) | lower) -%}
    {%- if modules.re.search('(?<!\\w)' ~ name ~ '(?!\\w)', plan) -%}{{ return(true) }}{%- endif -%}
  {%- endfor -%}
  {{ return(false) }}
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
