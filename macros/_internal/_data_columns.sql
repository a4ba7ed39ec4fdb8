{# The names of a relation's columns, without the log's own: from columns= if given, otherwise from the catalog. #}
{%- macro _data_columns(relation, columns, macro_name) -%}
  {%- set names = [] -%}
  {%- for column in columns or ([] if relation is string else deltawave._columns_of(relation)) -%}
    {%- set name = column if column is string else column.name -%}
    {%- if name | lower not in ['_change_type', '_changed_columns', '_before', '_batch_id', '_batch_at'] -%}
      {%- do names.append(name) -%}
    {%- endif -%}
  {%- endfor -%}
  {%- if not names -%}
    {%- do deltawave._fail('unknown_columns', {'macro': macro_name, 'relation': relation | string}) -%}
  {%- endif -%}
  {{ return(names) }}
{%- endmacro -%}

{# Stops where an argument names a column that does not exist. #}
{%- macro _require_columns(wanted, names, relation, macro_name) -%}
  {%- for column in wanted if column | lower not in names | map('lower') -%}
    {%- do deltawave._fail('no_such_column', {'macro': macro_name, 'relation': relation | string, 'column': column, 'columns': names | join(', ')}) -%}
  {%- endfor -%}
{%- endmacro -%}
