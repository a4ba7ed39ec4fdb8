{# Does the catalog have a relation? #}
{%- macro _in_catalog(relation) -%}
  {%- if not run_query('show schemas like ' ~ deltawave._literal(relation.schema)).rows -%}{{ return(false) }}{%- endif -%}
  {%- set like = 'show tables in ' ~ deltawave._quoted(relation.schema) ~ ' like ' ~ deltawave._literal(relation.identifier) -%}
  {{ return(run_query(like).rows | length > 0) }}
{%- endmacro -%}
