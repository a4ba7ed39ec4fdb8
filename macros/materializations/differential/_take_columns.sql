{# Adds to a table the columns that it lacks. False where it has one of them with another type. #}
{%- macro _take_columns(job, table, columns) -%}
  {%- set present = {} -%}
  {%- for column in deltawave._columns_of_query('select * from ' ~ table) -%}
    {%- do present.update({column.name | lower: column.data_type}) -%}
  {%- endfor -%}
  {%- set missing = [] -%}
  {%- set other_type = [] -%}
  {%- for column in columns -%}
    {%- if column.name | lower not in present -%}
      {%- do missing.append(deltawave._quoted(column.name) ~ ' ' ~ column.data_type) -%}
    {%- elif present[column.name | lower] != column.data_type -%}
      {%- do other_type.append(column.name) -%}
    {%- endif -%}
  {%- endfor -%}
  {%- if missing -%}
    {%- do deltawave._run(job, 'alter table ' ~ table ~ ' add columns (' ~ missing | join(', ') ~ ')') -%}
  {%- endif -%}
  {{ return(not other_type) }}
{%- endmacro -%}
