{# The exact sum of 64-bit integers. #}
{%- macro postgresql___remote_sum(expression) -%}
  {{ return('sum(' ~ expression ~ ')') }}
{%- endmacro -%}

{%- macro mysql___remote_sum(expression) -%}
  {{ return('sum(' ~ expression ~ ')') }}
{%- endmacro -%}

{%- macro derby___remote_sum(expression) -%}
  {{ return('sum(cast(' ~ expression ~ ' as decimal(31, 0)))') }}
{%- endmacro -%}

{# Integers as text, with colons between them. #}
{%- macro postgresql___remote_joined(integers) -%}
  {{ return('cast(' ~ integers | join(" as text) || ':' || cast(") ~ ' as text)') }}
{%- endmacro -%}

{%- macro mysql___remote_joined(integers) -%}
  {{ return('concat(cast(' ~ integers | join(" as char), ':', cast(") ~ ' as char))') }}
{%- endmacro -%}

{%- macro derby___remote_joined(integers) -%}
  {{ return('trim(cast(' ~ integers | join(" as char(40))) || ':' || trim(cast(") ~ ' as char(40)))') }}
{%- endmacro -%}
