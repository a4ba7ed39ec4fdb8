{#
  Each row of a relation once, with the sum of its weights as _copies, where that is not zero: a bag of rows, by counting. Rows are equal by
  content. columns: [{name, data_type}].
#}
{%- macro _net_rows(source, columns) -%}
select
    {%- for column in columns %}
    {{ deltawave._representative(column) }} as {{ deltawave._quoted(column.name) }},
    {%- endfor %}
    sum(`_weight`) as `_copies`
from {{ source }}
group by
    {%- for column in columns %}
    {{ deltawave._comparable(deltawave._quoted(column.name), column.data_type) }}{{ ',' if not loop.last }}
    {%- endfor %}
having sum(`_weight`) <> 0
{%- endmacro -%}

{# The value shown for a group: the column that it is grouped by, or one of the group's equal values. #}
{%- macro _representative(column) -%}
  {%- set name = deltawave._quoted(column.name) -%}
  {{ return(name if deltawave._comparable(name, column.data_type) == name else 'any_value(' ~ name ~ ')') }}
{%- endmacro -%}
