{# The columns of a relation that exists: [{name, data_type}], in its order and spelling. #}
{%- macro _columns_of(relation) -%}
  {%- set columns = [] -%}
  {%- if execute -%}
    {%- for column in adapter.get_columns_in_relation(relation) -%}
      {%- do columns.append({
        'name': column.name,
        'data_type': deltawave._exact_type('select * from ' ~ relation, column.name, column.data_type),
      }) -%}
    {%- endfor -%}
  {%- endif -%}
  {{ return(columns) }}
{%- endmacro -%}
