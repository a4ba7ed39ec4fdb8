{# SQL: is a line one of the header or the trailer? None where there are none. #}
{%- macro _is_frame(format, text) -%}
  {%- set tests = [] -%}
  {%- for line in format.header + format.trailer -%}{%- do tests.append(deltawave._matches(text, line.pattern)) -%}{%- endfor -%}
  {{ return('(' ~ tests | join(' or ') ~ ')' if tests else none) }}
{%- endmacro -%}

{# What Spark has to understand of a definition, as values: its regular expressions, and the patterns of its dates and times. #}
{%- macro _expressions(format) -%}
  {%- set expressions = ['true'] -%}
  {%- for line in format.header + format.trailer -%}{%- do expressions.append(deltawave._matches("''", line.pattern)) -%}{%- endfor -%}
  {%- for field in format.fields if field.format -%}
    {%- do expressions.append(deltawave._field_value(field, "'0'", format.decimal_separator)) -%}
  {%- endfor -%}
  {{ return(expressions) }}
{%- endmacro -%}
