{#
  The full type of a column, as DDL takes it. `describe` shortens a struct of more than spark.sql.debug.maxToStringFields (25) fields. typeof does
  not, and is folded to a constant, so that its subquery never runs.
#}
{%- macro _exact_type(sql, name, data_type) -%}
  {%- if modules.re.search('\\.\\.\\. \\d+ more fields', data_type) -%}
    {%- set question = 'select typeof((select ' ~ deltawave._quoted(name) ~ ' from (\n' ~ sql ~ '\n)))' -%}
    {%- set data_type = run_query(question).rows[0][0] | string -%}
  {%- endif -%}
  {{ return(deltawave._type_text(deltawave._parse_type(data_type)) if modules.re.search('struct<.', data_type) else data_type) }}
{%- endmacro -%}

{# A type with the names of its fields quoted: `describe` prints b c without quotes, and no statement accepts that. #}
{%- macro _type_text(type) -%}
  {%- if type.kind == 'array' -%}
    {{ return('array<' ~ deltawave._type_text(type.element) ~ '>') }}
  {%- elif type.kind == 'map' -%}
    {{ return('map<' ~ deltawave._type_text(type.key) ~ ',' ~ deltawave._type_text(type.value) ~ '>') }}
  {%- elif type.kind == 'struct' -%}
    {%- set fields = [] -%}
    {%- for field in type.fields -%}
      {%- set plain = modules.re.fullmatch('[A-Za-z_][A-Za-z0-9_]*', field.name) -%}
      {%- do fields.append((field.name if plain else deltawave._quoted(field.name)) ~ ':' ~ deltawave._type_text(field.type)) -%}
    {%- endfor -%}
    {{ return('struct<' ~ fields | join(',') ~ '>') }}
  {%- endif -%}
  {{ return(type.name) }}
{%- endmacro -%}
