{#
  A select of everything that is wrong in a format's files: {partitions, file, line_number, record, reason}. A row
  without line_number is about a file as a whole. The order of lines is needed only for their numbers, and for headers
  and trailers in a wrong place; so only this select sorts them.
#}
{%- macro _bad_records(definition) -%}
{%- set format = definition.format -%}
{%- set names = definition.partitions | map(attribute='name') | list + ['file'] -%}
{%- set quoted = deltawave._quoted_list(names) | join(',\n    ') -%}
{%- set framed = format.header or format.trailer -%}
with ordered_lines as (
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

{{ deltawave._read_records(
  definition, 'numbered', names + ['line_number'] + (['_lines'] if framed else []), deltawave._misplaced(format)
) }}
{%- if framed %},

lines as (
    {{ deltawave._indented(deltawave._lines(definition)) }}
),

{{ deltawave._file_problems(definition) }}
{%- endif %}

select
    {{ quoted }},
    `line_number`,
    `_text` as `record`,
    `reason`
from checked
where `reason` is not null
{%- if framed %}
union all
select
    {{ quoted }},
    cast(null as bigint) as `line_number`,
    cast(null as string) as `record`,
    `problem` as `reason`
from file_problems
where `problem` is not null
{%- endif %}
{%- endmacro -%}

{# What is wrong with the place of a line of the header or the trailer, or null. #}
{%- macro _misplaced(format) -%}
case
    {%- for line in format.header %}
    when {{ deltawave._matches('`_text`', line.pattern) }} and `line_number` <> {{ loop.index }}
        then 'a header that is not line {{ loop.index }}'
    {%- endfor %}
    {%- for line in format.trailer %}
    when {{ deltawave._matches('`_text`', line.pattern) }} and `line_number` <> `_lines` - {{ loop.revindex0 }}
        then 'a trailer that is not the last line'
    {%- endfor %}
end
{%- endmacro -%}

{#
  A select of how many records are bad, and an example: {bad_records, example}. folders: a condition; Spark reads
  nothing else. records: a condition on `_values`. Nothing is sorted: a file's headers and trailers in a wrong place
  count once, though the quarantine has each of them.
#}
{%- macro _bad_records_of_dump(definition, folders, records) -%}
{%- set format = definition.format -%}
{%- set framed = format.header or format.trailer -%}
with lines as (
    {{ deltawave._indented(deltawave._lines(definition, condition=folders)) }}
),

{{ deltawave._read_records(definition, 'lines', ['file']) }}
{%- if framed %},

ordered_lines as (
    {{ deltawave._indented(deltawave._lines(definition, ordered=true, condition=folders)) }}
),

misplaced as (
    select {{ deltawave._indented(deltawave._misplaced_of_file(format)) }} as `reason`
    from ordered_lines
    group by `file`
)
{%- endif %},

bad as (
    select `reason`
    from checked
    where `reason` is not null and {{ records }}
    {%- if framed %}
    union all
    select `reason`
    from misplaced
    where `reason` is not null
    {%- endif %}
)

select
    count(*) as bad_records,
    min(`reason`) as example
from bad
{%- endmacro -%}

{# What is wrong if a record stands before the header or after the trailer, or null. #}
{%- macro _misplaced_of_file(format) -%}
{%- set place = 'struct(`_block`, `_place`)' -%}
{%- set is_header = deltawave._is_one_of(format.header, '`_text`') -%}
{%- set is_trailer = deltawave._is_one_of(format.trailer, '`_text`') -%}
case
    {%- if format.header %}
    when min({{ place }}) filter (where not {{ is_header }}) < max({{ place }}) filter (where {{ is_header }})
        then 'a record before the header'
    {%- endif %}
    {%- if format.trailer %}
    when max({{ place }}) filter (where not {{ is_trailer }}) > min({{ place }}) filter (where {{ is_trailer }})
        then 'a record after the trailer'
    {%- endif %}
end
{%- endmacro -%}
