{#
  A select of a relation's columns with range_id, found by binary search. Each step is a column computed from the previous one, which Spark
  compiles. count: the number of ranges.
#}
{%- macro _placed(job, source, columns, lows, count) -%}
  {%- set key = deltawave._key_struct(job) -%}
  {%- set bounds = '(select sort_array(collect_list(low)) from ' ~ lows ~ ' where range_id > 0)' -%}
  {%- set steps = deltawave._search_steps(count) -%}
select
    {%- for column in columns %}
    {{ column }},
    {%- endfor %}
    {%- for size in steps %}
    {%- set place = '`_step_' ~ (loop.index0) ~ '`' if not loop.first else '0' %}
    if({{ key }} >= get({{ bounds }}, {{ place }} + {{ size - 1 }}), {{ place }} + {{ size }}, {{ place }}) as `_step_{{ loop.index }}`,
    {%- endfor %}
    {{ '`_step_' ~ steps | length ~ '`' if steps else '0' }} as range_id
from {{ source }}
{%- endmacro -%}

{# The strides of a binary search among that many ranges: 4, 2, 1 for up to 8. #}
{%- macro _search_steps(count) -%}
  {%- set steps = [] -%}
  {%- for exponent in range(31) if 2 ** exponent < count -%}
    {%- do steps.insert(0, 2 ** exponent) -%}
  {%- endfor -%}
  {{ return(steps) }}
{%- endmacro -%}
