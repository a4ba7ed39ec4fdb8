{#
  Common table expressions that end in `file_problems`, over an expression `lines`: each file with what is wrong with
  it as a whole, or null. Files without any line are missing: Spark lists no empty files.
#}
{%- macro _file_problems(definition) -%}
{%- set format = definition.format -%}
{%- set names = deltawave._quoted_list(definition.partitions | map(attribute='name') | list + ['file']) -%}
{%- set frame = format.header + format.trailer -%}
files as (
    select
        {{ names | join(',\n        ') }},
        {%- for line in frame %}
        {%- set is_one = deltawave._matches('`_text`', line.pattern) %}
        count_if({{ is_one }}) as `_found_{{ loop.index0 }}`,
        {%- if line.counts %}
        {%- set stated = 'regexp_extract(`_text`, ' ~ deltawave._whole_pattern(line.pattern) ~ ', 1)' %}
        max(if({{ is_one }}, try_cast({{ stated }} as bigint), null)) as `_stated_{{ loop.index0 }}`,
        {%- endif %}
        {%- endfor %}
        count(*) as `_lines`
    from lines
    group by {{ names | join(', ') }}
),

file_problems as (
    select
        {{ names | join(',\n        ') }},
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
{%- set found, stated = '`_found_' ~ place ~ '`', '`_stated_' ~ place ~ '`' -%}
{%- set counted -%}
`_lines`{% for other in range(frame_lines if line.counts == 'records' else 0) %} - `_found_{{ other }}`{% endfor %}
{%- endset -%}
case
    when {{ found }} = 0 then {{ deltawave._literal('no ' ~ kind ~ ' ' ~ line.pattern) }}
    when {{ found }} > 1
        then concat({{ found }}, {{ deltawave._literal(' lines are like the ' ~ kind ~ ' ' ~ line.pattern) }})
    {%- if line.counts %}
    when {{ stated }} is null then 'the {{ kind }} states no number of {{ line.counts }}'
    when {{ stated }} <> {{ counted }}
        then concat('{{ line.counts }}: ', {{ stated }}, ' by its {{ kind }}, ', {{ counted }}, ' by count')
    {%- endif %}
end
{%- endmacro -%}
