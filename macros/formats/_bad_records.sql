{#
  A select of everything that is wrong in a format's files: {partitions, file, line_number, record, reason}. A row without line_number is about a file
  as a whole. The order of lines is needed for their numbers alone, and for headers and trailers in a wrong place; so only this select sorts them.
#}
{%- macro _bad_records(definition) -%}
{%- set format = definition.format -%}
{%- set parts = definition.partitions | map(attribute='name') | list -%}
{%- set names = deltawave._quoted_list(parts) -%}
{%- set framed = format.header or format.trailer -%}
{%- set lines = deltawave._indented(deltawave._lines(definition)) -%}
with {{ 'lines as (\n    ' ~ lines ~ '\n),\n\n' if framed }}ordered_lines as (
    {{ deltawave._indented(deltawave._lines(definition, ordered=true)) }}
),

numbered as (
    select
        *,
        count(*) over (
            partition by `file` order by `_block`, `_place` rows between unbounded preceding and current row
        ) as `line_number`
        {%- if framed %},
        count(*) over (partition by `file`) as `_lines`
        {%- endif %}
    from ordered_lines
),

{{ deltawave._read_records(definition, 'numbered', parts + ['file', 'line_number'] + (['_lines'] if framed else []), deltawave._misplaced(format)) }}
{%- if framed %},

{{ deltawave._file_problems(definition) }}
{%- endif %}

select
    {%- for name in names %}
    {{ name }},
    {%- endfor %}
    `file`,
    `line_number`,
    `_text` as `record`,
    `reason`
from checked
where `reason` is not null
{%- if framed %}
union all
select
    {%- for name in names %}
    {{ name }},
    {%- endfor %}
    `file`,
    cast(null as bigint) as `line_number`,
    cast(null as string) as `record`,
    `problem` as `reason`
from file_problems
where `problem` is not null
{%- endif %}
{%- endmacro -%}

{# Why a line of the header or the trailer is not in its place, or null. #}
{%- macro _misplaced(format) -%}
  {%- set cases = [] -%}
  {%- for line in format.header -%}
    {%- do cases.append('when ' ~ deltawave._matches('`_text`', line.pattern) ~ ' and `line_number` <> ' ~ loop.index
      ~ " then 'a header that is not line " ~ loop.index ~ "'") -%}
  {%- endfor -%}
  {%- for line in format.trailer -%}
    {%- do cases.append('when ' ~ deltawave._matches('`_text`', line.pattern) ~ ' and `line_number` <> `_lines` - ' ~ loop.revindex0
      ~ " then 'a trailer that is not the last line'") -%}
  {%- endfor -%}
  {{ return('case ' ~ cases | join(' ') ~ ' end') }}
{%- endmacro -%}

{# A select of the bad records alone, without line numbers: {partitions, file, reason}. Of one folder, Spark reads nothing else. #}
{%- macro _bad_records_of_folder(definition, condition) -%}
with lines as (
    {{ deltawave._indented(deltawave._lines(definition)) }}
),

{{ deltawave._read_records(definition, 'lines', definition.partitions | map(attribute='name') | list + ['file']) }}

select
    count(*) as bad_records,
    min(`reason`) as example
from checked
where `reason` is not null and {{ condition }}
{%- endmacro -%}
