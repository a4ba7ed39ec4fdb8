{# The columns of a relation, or of a table's name: [{name, data_type}], in its order and spelling; none for a relation that does not exist. #}
{%- macro _columns_of(relation) -%}
  {%- if relation is string -%}
    {{ return(deltawave._columns_of_query('select * from ' ~ relation)) }}
  {%- endif -%}
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
