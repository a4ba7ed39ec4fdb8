{#
  The whole type of a column. Describing shortens a struct of more than spark.sql.debug.maxToStringFields (25) fields; typeof does
  not, and is folded to a constant, so that its subquery is never run.
#}
{%- macro _exact_type(sql, name, data_type) -%}
  {%- if not modules.re.search('\\.\\.\\. \\d+ more fields', data_type) -%}
    {{ return(data_type) }}
  {%- endif -%}
  {%- set question = 'select typeof((select ' ~ deltawave._quoted(name) ~ ' from (\n' ~ sql ~ '\n)))' -%}
  {{ return(run_query(question).rows[0][0] | string) }}
{%- endmacro -%}
