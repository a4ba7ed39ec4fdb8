{# A column as text from which _bound_literal makes the same value again in any session: timestamps are in UTC. #}
{%- macro _bound_text(expression, data_type) -%}
  {%- if data_type == 'timestamp' -%}
    {{ return(deltawave._clock_text(deltawave._utc_time(expression))) }}
  {%- endif -%}
  {{ return('cast(' ~ expression ~ ' as string)') }}
{%- endmacro -%}

{%- macro _bound_literal(text, data_type) -%}
  {%- if text is not none and data_type == 'timestamp' -%}
    {{ return("timestamp '" ~ text ~ " UTC'") }}
  {%- endif -%}
  {{ return('cast(' ~ deltawave._literal(text) ~ ' as ' ~ data_type ~ ')') }}
{%- endmacro -%}

{# A bound's values as literals; none for an open end. #}
{%- macro _bound_literals(columns, bound) -%}
  {%- if bound is none -%}
    {{ return(none) }}
  {%- endif -%}
  {%- set literals = [] -%}
  {%- for value in bound -%}
    {%- do literals.append(none if value is none else deltawave._bound_literal(value, columns[loop.index0].data_type)) -%}
  {%- endfor -%}
  {{ return(literals) }}
{%- endmacro -%}

{# Types whose values are ordered and have a unique text; keys of other types form one range. #}
{%- macro _has_bounds(columns) -%}
  {%- for column in columns -%}
    {%- if not modules.re.fullmatch('(tiny|small|big)?int|decimal\\(\\d+,\\d+\\)|string|date|timestamp|timestamp_ntz|boolean', column.data_type) -%}
      {{ return(false) }}
    {%- endif -%}
  {%- endfor -%}
  {{ return(true) }}
{%- endmacro -%}
