{# SQL: does a line belong to the header or the trailer? None if the format has neither. #}
{%- macro _is_frame(format, text) -%}
  {%- set frame = format.header + format.trailer -%}
  {{ return(deltawave._is_one_of(frame, text) if frame else none) }}
{%- endmacro -%}

{# SQL: is a line one of these lines of the header or the trailer? #}
{%- macro _is_one_of(frame, text) -%}
  {%- set tests = [] -%}
  {%- for line in frame -%}{%- do tests.append(deltawave._matches(text, line.pattern)) -%}{%- endfor -%}
  {{ return('(' ~ tests | join(' or ') ~ ')') }}
{%- endmacro -%}

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
