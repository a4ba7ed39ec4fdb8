{# Adds the missing columns to a table. False if it has one of them with another type. #}
{%- macro _add_columns(job, table, columns) -%}
  {%- set present = deltawave._types_of(deltawave._columns_of(table)) -%}
  {%- set missing = [] -%}
  {%- set other_type = [] -%}
  {%- for column in columns -%}
    {%- if column.name | lower not in present -%}
      {%- do missing.append(column) -%}
    {%- elif present[column.name | lower] != column.data_type -%}
      {%- do other_type.append(column.name) -%}
    {%- endif -%}
  {%- endfor -%}
  {%- if missing -%}
    {%- set mapping = deltawave._name_mapping(job.settings.file_format, missing) -%}
    {%- if mapping -%}
      {%- do deltawave._run(job, 'alter table ' ~ table ~ ' set ' ~ mapping) -%}
    {%- endif -%}
    {%- do deltawave._run(job, 'alter table ' ~ table ~ ' add columns (' ~ deltawave._definitions(missing) | join(', ') ~ ')') -%}
  {%- endif -%}
  {{ return(not other_type) }}
{%- endmacro -%}

{# Columns as a table's statement defines them. #}
{%- macro _definitions(columns) -%}
  {%- set definitions = [] -%}
  {%- for column in columns -%}{%- do definitions.append(deltawave._quoted(column.name) ~ ' ' ~ column.data_type) -%}{%- endfor -%}
  {{ return(definitions) }}
{%- endmacro -%}
