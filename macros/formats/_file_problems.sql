{#
  Common table expressions that end in `file_problems`, over an expression `lines`: each file with what is wrong with
  it as a whole, or null. Files without any line are missing: Spark lists no empty files.
#}
{%- macro _file_problems(definition) -%}
{%- set format = definition.format -%}
{%- set parts = deltawave._quoted_list(definition.partitions | map(attribute='name')) -%}
{%- set frame = format.header + format.trailer -%}
files as (
    select
        {%- for name in parts %}
        {{ name }},
        {%- endfor %}
        `file`,
        {%- for line in frame %}
        {%- set is_one = deltawave._matches('`_text`', line.pattern) %}
        count_if({{ is_one }}) as `_found_{{ loop.index0 }}`,
        {%- if line.counts %}
        {%- set stated = "regexp_extract(`_text`, " ~ deltawave._literal('\\A(?:' ~ line.pattern ~ ')\\z') ~ ', 1)' %}
        max(if({{ is_one }}, try_cast({{ stated }} as bigint), null)) as `_stated_{{ loop.index0 }}`,
        {%- endif %}
        {%- endfor %}
        count(*) as `_lines`
    from lines
    group by {{ (parts + ['`file`']) | join(', ') }}
),

file_problems as (
    select
        {%- for name in parts %}
        {{ name }},
        {%- endfor %}
        `file`,
        nullif(concat_ws(
            '; ',
            {%- for line in frame %}
            {%- set kind = 'header' if loop.index0 < format.header | length else 'trailer' %}
            {{ deltawave._frame_problem(line, kind, loop.index0, frame | length) }}{{ ',' if not loop.last }}
            {%- endfor %}
        ), '') as `problem`
    from files
)
{%- endmacro -%}

{# What is wrong with the header or trailer of one pattern, or null. #}
{%- macro _frame_problem(line, kind, place, frame_lines) -%}
  {%- set found = '`_found_' ~ place ~ '`' -%}
  {%- set cases = [
    "when " ~ found ~ " = 0 then " ~ deltawave._literal('no ' ~ kind ~ ' ' ~ line.pattern),
    "when " ~ found ~ " > 1 then concat(" ~ found ~ ", "
      ~ deltawave._literal(' lines are like the ' ~ kind ~ ' ' ~ line.pattern) ~ ")",
  ] -%}
  {%- if line.counts -%}
    {%- set stated = '`_stated_' ~ place ~ '`' -%}
    {%- set found_lines = [] -%}
    {%- for other in range(frame_lines) -%}{%- do found_lines.append(' - `_found_' ~ other ~ '`') -%}{%- endfor -%}
    {%- set there = '`_lines`' if line.counts == 'lines' else '(`_lines`' ~ found_lines | join ~ ')' -%}
    {%- do cases.append(
      'when ' ~ stated ~ ' is null then ' ~ deltawave._literal('the ' ~ kind ~ ' states no number of ' ~ line.counts)
    ) -%}
    {%- do cases.append(
      'when ' ~ stated ~ ' <> ' ~ there ~ ' then concat(' ~ deltawave._literal(line.counts ~ ': ') ~ ', ' ~ stated
        ~ ', '
      ~ deltawave._literal(' by its ' ~ kind ~ ', ') ~ ', ' ~ there ~ ", ' by count')"
    ) -%}
  {%- endif -%}
  {{ return('case ' ~ cases | join(' ') ~ ' end') }}
{%- endmacro -%}
