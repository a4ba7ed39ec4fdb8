{#
  Each row of a relation once, with the sum of its weights as _copies, where that is not zero: a bag of rows, by
  counting. Rows are equal by content; where that needs another form of a column, one of the equal values is shown.
  columns: [{name, data_type}].
#}
{%- macro _net_rows(source, columns) -%}
select
    {%- for column in columns %}
    {%- set name = deltawave._quoted(column.name) %}
    {%- set is_grouped = deltawave._comparable(name, column.data_type) == name %}
    {{ name if is_grouped else 'any_value(' ~ name ~ ')' }} as {{ name }},
    {%- endfor %}
    sum(`_weight`) as `_copies`
from {{ source }}
group by
    {%- for column in columns %}
    {{ deltawave._comparable(deltawave._quoted(column.name), column.data_type) }}{{ ',' if not loop.last }}
    {%- endfor %}
having sum(`_weight`) <> 0
{%- endmacro -%}
