{# The expressions of a definition that Spark has to accept, as values: regular expressions, and patterns of dates and times. #}
{%- macro _expressions(format) -%}
  {%- set expressions = ['true'] -%}
  {%- for line in format.header + format.trailer -%}
    {%- do expressions.append(deltawave._matches("''", line.pattern)) -%}
    {#- Spark looks for a group only where an expression matches, as this one always does. -#}
    {%- if line.counts -%}{%- do expressions.append("regexp_extract('', " ~ deltawave._literal('(?:' ~ line.pattern ~ ')|') ~ ', 1)') -%}{%- endif -%}
  {%- endfor -%}
  {%- for field in format.fields if field.format -%}
    {%- do expressions.append(deltawave._field_value(field, "'0'", format.decimal_separator)) -%}
  {%- endfor -%}
  {{ return(expressions) }}
{%- endmacro -%}
