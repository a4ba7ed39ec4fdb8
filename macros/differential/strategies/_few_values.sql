{#
  A condition on columns that a table's few values imply, so that files without them are skipped; true for many values, which cost more
  to look at in each row than they spare.
#}
{%- macro _few_values(job, table, columns) -%}
  {%- set conditions = [] -%}
  {%- for column in columns if deltawave._has_bounds([column]) -%}
    {%- set name = deltawave._quoted(column.name) -%}
    {%- set sql = 'select distinct ' ~ deltawave._bound_text(name, column.data_type) ~ ' as value from ' ~ table ~ ' limit 201' -%}
    {%- set values = [] -%}
    {%- set nulls = [] -%}
    {%- for row in deltawave._run(job, sql).rows -%}
      {%- do (nulls if row[0] is none else values).append(deltawave._bound_literal(row[0], column.data_type)) -%}
    {%- endfor -%}
    {%- if (values + nulls) | length <= 200 -%}
      {%- set parts = ([name ~ ' in (' ~ values | join(', ') ~ ')'] if values else []) + ([name ~ ' is null'] if nulls else []) -%}
      {%- do conditions.append('(' ~ parts | join(' or ') ~ ')' if parts else 'false') -%}
    {%- endif -%}
  {%- endfor -%}
  {{ return(conditions | join(' and ') or 'true') }}
{%- endmacro -%}
