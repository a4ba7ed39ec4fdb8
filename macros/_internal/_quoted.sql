{# A name as a Spark identifier. #}
{%- macro _quoted(name) -%}
  {{ return('`' ~ name | string | replace('`', '``') ~ '`') }}
{%- endmacro -%}
