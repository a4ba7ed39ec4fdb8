{# Columns with their types, [{name, data_type}], from dbt's Column objects, from such dicts, or from names of columns of a relation. #}
{%- macro _typed_columns(columns, relation, macro_name) -%}
  {%- set given = [columns] if columns is string and columns else columns or [] -%}
  {#- While dbt parses, adapter.get_columns_in_relation returns nothing. -#}
  {%- if execute and not given -%}
    {%- do deltawave._fail('required', {'model': macro_name, 'option': 'columns', 'example': '[name, balance]'}) -%}
  {%- endif -%}
  {%- set known = {} -%}
  {%- if relation -%}
    {%- for column in deltawave._columns_of(relation) -%}{%- do known.update({column.name | lower: column}) -%}{%- endfor -%}
  {%- endif -%}
  {%- set typed = [] -%}
  {%- for column in given -%}
    {%- if column is not string -%}
      {%- do typed.append({'name': column.name, 'data_type': column.data_type}) -%}
    {%- elif column | lower in known -%}
      {%- do typed.append(known[column | lower]) -%}
    {%- elif not execute -%}
      {%- do typed.append({'name': column, 'data_type': 'void'}) -%}
    {%- elif relation -%}
      {%- set names = known.values() | map(attribute='name') | join(', ') -%}
      {%- do deltawave._fail('no_such_column', {'macro': macro_name, 'relation': relation | string, 'column': column, 'columns': names}) -%}
    {%- else -%}
      {%- do deltawave._fail('untyped_column', {'macro': macro_name, 'column': column}) -%}
    {%- endif -%}
  {%- endfor -%}
  {{ return(typed) }}
{%- endmacro -%}
