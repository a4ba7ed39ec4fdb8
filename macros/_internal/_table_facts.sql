{# The facts about a table by name, from the rows of `describe extended`. They follow the columns, one of which may have the same name. #}
{%- macro _table_facts(rows) -%}
  {%- set facts = {} -%}
  {%- for row in rows -%}{%- do facts.update({row[0]: row[1]}) -%}{%- endfor -%}
  {{ return(facts) }}
{%- endmacro -%}
