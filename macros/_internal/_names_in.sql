{#
  Names of a schema's tables and views, as the catalog spells them, that match a pattern in which * is any text.
  statements: a list to which the statement is added, if it takes one.
#}
{%- macro _names_in(schema, pattern, statements=none) -%}
  {%- set known = adapter.names_like(schema, pattern) if adapter.names_like is defined else none -%}
  {%- if known is not none -%}{{ return(known) }}{%- endif -%}
  {%- set names = [] -%}
  {%- set sql = 'show tables in ' ~ deltawave._quoted(schema) ~ ' like ' ~ deltawave._literal(pattern) -%}
  {%- if statements is not none -%}{%- do statements.append(sql) -%}{%- endif -%}
  {%- for row in run_query(sql).rows if row[2] | string | lower != 'true' -%}
    {%- do names.append(row[1] | string) -%}
  {%- endfor -%}
  {{ return(names) }}
{%- endmacro -%}
