{# Does the catalog have a relation? #}
{%- macro _in_catalog(relation) -%}
  {%- set known = adapter.names_like(relation.schema, relation.identifier) if adapter.names_like is defined
      else none -%}
  {%- if known is not none -%}{{ return(relation.identifier | lower in known | map('lower') | list) }}{%- endif -%}
  {%- if not run_query('show schemas like ' ~ deltawave._literal(relation.schema)).rows -%}
    {{ return(false) }}
  {%- endif -%}
  {%- set like = 'show tables in ' ~ deltawave._quoted(relation.schema) ~ ' like '
      ~ deltawave._literal(relation.identifier) -%}
  {{ return(run_query(like).rows | length > 0) }}
{%- endmacro -%}

{# The facts about a table by name, from rows of `describe extended`: they follow columns, which may be named alike. #}
{%- macro _table_facts(rows) -%}
  {%- set facts = {} -%}
  {%- for row in rows -%}{%- do facts.update({row[0]: row[1]}) -%}{%- endfor -%}
  {{ return(facts) }}
{%- endmacro -%}
