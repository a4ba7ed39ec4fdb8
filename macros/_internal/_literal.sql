{#
  A value as a Spark string literal; null for none. Correct for any text while spark.sql.parser.escapedStringLiterals is false, its default. "${"
  is split, since Spark replaces ${name} anywhere in a statement, literals included, by the setting of that name.
#}
{%- macro _literal(value) -%}
  {%- if value is none -%}
    {{ return('null') }}
  {%- endif -%}
  {%- set escaped = value | string | replace('\\', '\\\\') | replace("'", "\\'") | replace('${', '\\u0024{') -%}
  {{ return("'" ~ escaped ~ "'") }}
{%- endmacro -%}
