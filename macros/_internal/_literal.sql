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

{# The JSON that a view selects as a _literal, its only column, from the view's text; none in another text. JSON itself knows what _literal writes for ${. #}
{%- macro _json_in(view_text, column) -%}
  {%- set found = modules.re.match("(?is)\\s*select '(.*)' as " ~ column, view_text or '') -%}
  {{ return(modules.re.sub("\\\\([\\\\'])", '\\1', found.group(1)) if found else none) }}
{%- endmacro -%}
