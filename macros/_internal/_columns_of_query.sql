{# The columns of a select: [{name, data_type, comment}], in its order and spelling. Spark analyses the select and does not run it. #}
{%- macro _columns_of_query(sql) -%}
  {%- set columns = [] -%}
  {%- if execute -%}
    {%- set asks_session = adapter.query_columns is defined and deltawave._runs_python() -%}
    {%- for row in (adapter.query_columns(sql) if asks_session else run_query('describe query ' ~ sql).rows) -%}
      {%- set name = row[0] | string -%}
      {%- do columns.append({'name': name, 'data_type': deltawave._exact_type(sql, name, row[1] | string), 'comment': row[2]}) -%}
    {%- endfor -%}
  {%- endif -%}
  {{ return(columns) }}
{%- endmacro -%}
