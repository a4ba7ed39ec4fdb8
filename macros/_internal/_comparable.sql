{#
  An expression with the same content that Spark can compare (<=>), group by and sort; two are equal exactly where the contract says so. Spark's
  own comparison already equates -0.0 with 0.0 and NaN with NaN, and distinguishes a null struct from a struct of nulls. A map becomes its entries in key
  order, a variant its type and JSON text, collated text its bytes, an interval of months its text in years and months: Spark does not hand such
  an interval over to Python.
#}
{%- macro _comparable(expression, data_type) -%}
  {%- if not modules.re.search('(?i)map\\s*<|variant|collate|interval', data_type | string) -%}
    {{ return(expression) }}
  {%- endif -%}
  {{ return(deltawave._comparable_part(expression, deltawave._parse_type(data_type))) }}
{%- endmacro -%}

{# The same for a parsed type; the expression itself where nothing in it needs rewriting. #}
{%- macro _comparable_part(expression, type) -%}
  {%- if type.kind == 'array' -%}
    {%- set element = deltawave._comparable_part('element', type.element) -%}
    {{ return(expression if element == 'element' else 'transform(' ~ expression ~ ', element -> ' ~ element ~ ')') }}

  {%- elif type.kind == 'map' -%}
    {%- set entries = 'map_entries(' ~ expression ~ ')' -%}
    {%- set key = deltawave._comparable_part('entry.key', type.key) -%}
    {%- set value = deltawave._comparable_part('entry.value', type.value) -%}
    {%- if key != 'entry.key' or value != 'entry.value' -%}
      {%- set entries = 'transform(' ~ entries ~ ", entry -> named_struct('key', " ~ key ~ ", 'value', " ~ value ~ '))' -%}
    {%- endif -%}
    {{ return('sort_array(' ~ entries ~ ')') }}

  {%- elif type.kind == 'struct' -%}
    {%- set fields = [] -%}
    {%- set rewritten = [] -%}
    {%- for field in type.fields -%}
      {%- set path = expression ~ '.' ~ deltawave._quoted(field.name) -%}
      {%- set part = deltawave._comparable_part(path, field.type) -%}
      {%- do fields.append(deltawave._literal(field.name) ~ ', ' ~ part) -%}
      {%- if part != path -%}{%- do rewritten.append(field.name) -%}{%- endif -%}
    {%- endfor -%}
    {%- if not rewritten -%}
      {{ return(expression) }}
    {%- endif -%}
    {{ return('if(isnull(' ~ expression ~ '), null, named_struct(' ~ fields | join(', ') ~ '))') }}

  {%- elif type.name == 'variant' -%}
    {{ return('concat(schema_of_variant(' ~ expression ~ "), ' ', to_json(" ~ expression ~ ", map('timeZone', 'UTC')))") }}
  {%- elif modules.re.match('interval (year|month)', type.name) -%}
    {{ return('cast(cast(' ~ expression ~ ' as interval year to month) as string)') }}
  {%- elif type.name == 'interval' -%}
    {{ return('cast(' ~ expression ~ ' as string)') }}
  {%- elif ' collate ' in type.name -%}
    {{ return('collate(' ~ expression ~ ", 'UTF8_BINARY')") }}
  {%- endif -%}
  {{ return(expression) }}
{%- endmacro -%}
