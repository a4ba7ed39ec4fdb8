{# A name as a Spark identifier. #}
{%- macro _quoted(name) -%}{{ return('`' ~ name | string | replace('`', '``') ~ '`') }}{%- endmacro -%}

{# Column names, quoted, each with the alias in front if one is given: a list of SQL expressions. #}
{%- macro _quoted_list(names, alias=none) -%}
  {%- set quoted = [] -%}
  {%- for name in names -%}
    {%- do quoted.append((alias ~ '.' if alias else '') ~ deltawave._quoted(name)) -%}
  {%- endfor -%}
  {{ return(quoted) }}
{%- endmacro -%}

{# Columns [{name, data_type}] without values: a list of SQL expressions. #}
{%- macro _null_columns(columns) -%}
  {%- set nulls = [] -%}
  {%- for column in columns -%}
    {%- do nulls.append('cast(null as ' ~ column.data_type ~ ') as ' ~ deltawave._quoted(column.name)) -%}
  {%- endfor -%}
  {{ return(nulls) }}
{%- endmacro -%}

{# A relation, quoted: its name may hold any character. #}
{%- macro _relation(schema, identifier) -%}
  {{ return(api.Relation.create(schema=schema, identifier=identifier).quote(schema=true, identifier=true)) }}
{%- endmacro -%}

{#
  A value as a Spark string literal; null for none. Correct for any text while spark.sql.parser.escapedStringLiterals
  is false, its default. "${" is split, since Spark replaces ${name} anywhere in a statement, literals included, by the
  setting of that name.
#}
{%- macro _literal(value) -%}
  {%- if value is none -%}{{ return('null') }}{%- endif -%}
  {%- set escaped = value | string | replace('\\', '\\\\') | replace("'", "\\'") | replace('${', '\\u0024{') -%}
  {{ return("'" ~ escaped ~ "'") }}
{%- endmacro -%}

{#
  The JSON that a view selects as a _literal, its only column, from the view's text; none in another text. JSON itself
  knows what _literal writes for ${.
#}
{%- macro _json_in(view_text, column) -%}
  {%- set found = modules.re.match("(?is)\\s*select '(.*)' as " ~ column, view_text or '') -%}
  {{ return(modules.re.sub("\\\\([\\\\'])", '\\1', found.group(1)) if found else none) }}
{%- endmacro -%}

{#
  A select, indented for the select around it. If a quoted name or a literal spans lines, the select stays as it is:
  indenting would change that text.
#}
{%- macro _indented(sql) -%}
  {%- set quoted = modules.re.findall(
    '`[^`]*`|\'(?:[^\'\\\\]|\\\\.)*\'|"(?:[^"\\\\]|\\\\.)*"', sql, modules.re.DOTALL
  ) -%}
  {{ return(sql if '\n' in quoted | join else sql | indent) }}
{%- endmacro -%}

{%- macro _in_parentheses(select) -%}{{ return('(\n' ~ deltawave._indented(select) ~ '\n)') }}{%- endmacro -%}

{# The condition that two aliases have the same key; a null key equals a null key. #}
{%- macro _same_key(keys, left, right) -%}
  {{ return(deltawave._equal_parts(keys, left, right) | join(' and ')) }}
{%- endmacro -%}

{# The same, as one condition per column. #}
{%- macro _equal_parts(keys, left, right) -%}
  {%- set conditions = [] -%}
  {%- for key in deltawave._quoted_list(keys) -%}
    {%- do conditions.append(left ~ '.' ~ key ~ ' <=> ' ~ right ~ '.' ~ key) -%}
  {%- endfor -%}
  {{ return(conditions) }}
{%- endmacro -%}

{# unique_key, an argument of that macro, as a list of names, from a name or a list. #}
{%- macro _key_list(unique_key, macro_name) -%}
  {%- set keys = [unique_key] if unique_key is string and unique_key else unique_key or [] -%}
  {%- if not keys -%}
    {%- do deltawave._fail('required', {'model': macro_name, 'option': 'unique_key', 'example': '[account_id]'}) -%}
  {%- endif -%}
  {{ return(keys | list) }}
{%- endmacro -%}
