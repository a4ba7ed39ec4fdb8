{#
  The values of a table in some columns, if they are few: [{name, data_type, values}], as texts (see _bound_text), none for null. A condition on
  many values costs more per row than it saves. columns: [{name, data_type}].
#}
{%- macro _few_values(job, table, columns, limit=200) -%}
  {%- set few = [] -%}
  {%- for column in columns if deltawave._has_bounds([column]) -%}
    {%- set text = deltawave._bound_text(deltawave._quoted(column.name), column.data_type) -%}
    {%- set sql = 'select distinct ' ~ text ~ ' as value from ' ~ table ~ ' limit ' ~ (limit + 1) -%}
    {%- set values = deltawave._run(job, sql).rows | map(attribute=0) | list -%}
    {%- if values | length <= limit -%}{%- do few.append(dict(column, values=values)) -%}{%- endif -%}
  {%- endfor -%}
  {{ return(few) }}
{%- endmacro -%}

{# The condition that each column has one of its few values, by which Spark skips files without them. #}
{%- macro _has_few_values(few) -%}
  {%- set conditions = [] -%}
  {%- for column in few -%}
    {%- set name = deltawave._quoted(column.name) -%}
    {#- With no values, use `is null`, not `false`: Spark 4.1 fails on a full outer join with a side that it knows to be empty. -#}
    {%- set alternatives = [name ~ ' is null'] if none in column['values'] or not column['values'] else [] -%}
    {%- set literals = [] -%}
    {%- for value in column['values'] if value is not none -%}{%- do literals.append(deltawave._bound_literal(value, column.data_type)) -%}{%- endfor -%}
    {%- if literals -%}{%- do alternatives.append(name ~ ' in (' ~ literals | join(', ') ~ ')') -%}{%- endif -%}
    {%- do conditions.append('(' ~ alternatives | join(' or ') ~ ')') -%}
  {%- endfor -%}
  {{ return(conditions | join(' and ') or 'true') }}
{%- endmacro -%}
