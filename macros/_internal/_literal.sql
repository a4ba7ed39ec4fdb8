{#
  A value as a Spark string literal, null for none; right for any text while spark.sql.parser.escapedStringLiterals is false, its
  default. "${" is broken up, since Spark replaces ${name} by a setting of that name in the whole statement, literals too.
#}
{%- macro _literal(value) -%}
  {%- if value is none -%}
    {{ return('null') }}
  {%- endif -%}
  {%- set escaped = value | string | replace('\\', '\\\\') | replace("'", "\\'") | replace('${', '\\u0024{') -%}
  {{ return("'" ~ escaped ~ "'") }}
{%- endmacro -%}
