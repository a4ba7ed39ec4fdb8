{#
  The columns of a relation: [{name, data_type}], in its order and spelling. Read from a select over it: that also works for the subqueries of --empty
  and --sample, where `describe table` fails.
#}
{%- macro _columns_of(relation) -%}
  {{ return(deltawave._columns_of_query('select * from ' ~ relation)) }}
{%- endmacro -%}

{# The types of columns [{name, data_type}] by their names in lower case. #}
{%- macro _types_of(columns) -%}
  {%- set types = {} -%}
  {%- for column in columns -%}{%- do types.update({column.name | lower: column.data_type}) -%}{%- endfor -%}
  {{ return(types) }}
{%- endmacro -%}
