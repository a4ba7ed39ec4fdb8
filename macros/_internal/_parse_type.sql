{#
  A Spark data type, as describe, typeof or a yml writes it, as nested dicts:
    {kind: atomic, name} | {kind: array, element} | {kind: map, key, value} | {kind: struct, fields: [{name, type}]}
#}
{%- macro _parse_type(data_type) -%}
  {%- set text = data_type | string | trim -%}
  {%- set parsed = deltawave._parse_type_at(text, 0) -%}
  {%- if text[parsed.end:] | trim -%}
    {%- do deltawave._fail('data_type', {'value': text, 'rest': text[parsed.end:]}) -%}
  {%- endif -%}
  {{ return(parsed.type) }}
{%- endmacro -%}

{# The type that starts at a position: {type, end}. Slices are matched, since dbt 2 takes a position for flags. #}
{%- macro _parse_type_at(text, start) -%}
  {%- set nested = modules.re.match('(?i)\\s*(array|map|struct)\\s*<\\s*', text[start:]) -%}
  {%- if not nested -%}
    {%- set atomic = modules.re.match('[^,<>()]*(\\([^()]*\\)[^,<>()]*)?', text[start:]) -%}
    {%- set name = modules.re.sub('(?i)\\s+not\\s+null$', '', atomic.group() | trim) -%}
    {%- if not name -%}
      {%- do deltawave._fail('data_type', {'value': text, 'rest': text[start:]}) -%}
    {%- endif -%}
    {{ return({'type': {'kind': 'atomic', 'name': name | lower}, 'end': start + atomic.end()}) }}
  {%- endif -%}

  {%- set kind = nested.group(1) | lower -%}
  {%- set parts = [] -%}
  {%- set inside = start + nested.end() -%}
  {%- set at = namespace(position=inside, is_open=text[inside:inside + 1] != '>') -%}
  {%- if not at.is_open -%}{%- set at.position = at.position + 1 -%}{%- endif -%}
  {#-
    A bounded loop, since Jinja has no while: each part takes at least one character. A condition of the loop itself is
    evaluated beforehand in dbt 2.
  -#}
  {%- for _ in range(text | length) -%}
    {%- if at.is_open -%}
      {%- set field = deltawave._field_name_at(text, at.position) if kind == 'struct'
          else {'name': none, 'end': at.position} -%}
      {%- set part = deltawave._parse_type_at(text, field.end) -%}
      {%- set following = modules.re.match('(?i)\\s*(,|>(\\s*not\\s+null)?)\\s*', text[part.end:]) -%}
      {%- if not following -%}
        {%- do deltawave._fail('data_type', {'value': text, 'rest': text[part.end:]}) -%}
      {%- endif -%}
      {%- do parts.append({'name': field.name, 'type': part.type}) -%}
      {%- set at.position = part.end + following.end() -%}
      {%- set at.is_open = following.group(1) == ',' -%}
    {%- endif -%}
  {%- endfor -%}

  {%- if kind == 'struct' -%}
    {{ return({'type': {'kind': 'struct', 'fields': parts}, 'end': at.position}) }}
  {%- elif kind == 'map' and parts | length == 2 -%}
    {{ return({'type': {'kind': 'map', 'key': parts[0].type, 'value': parts[1].type}, 'end': at.position}) }}
  {%- elif kind == 'array' and parts | length == 1 -%}
    {{ return({'type': {'kind': 'array', 'element': parts[0].type}, 'end': at.position}) }}
  {%- endif -%}
  {%- do deltawave._fail('data_type', {'value': text, 'rest': text[start + nested.start():]}) -%}
{%- endmacro -%}

{#
  The name of the struct field that starts at a position: {name, end}. Spark writes names without quotes, whatever
  characters they hold, so a name ends where a type follows that itself ends a field.
#}
{%- macro _field_name_at(text, start) -%}
  {%- set type -%}
    (?=(?:array|map|struct)\s*<|(?:boolean|tinyint|byte|smallint|short|int|integer|bigint|long|float|real|double|decimal|dec|numeric
    |string|char|character|varchar|binary|date|timestamp|timestamp_ntz|timestamp_ltz|time|interval|variant|void|geometry|geography)
    \s*(?:\([^()]*\))?(?:\s(?:collate|day|hour|minute|second|year|month|not)\b[^,<>:]*)?(?:[,>]|$))
  {%- endset -%}
  {%- set type = modules.re.sub('\\s*\\n\\s*', '', type) -%}
  {%- for pattern in [
    '\\s*`((?:[^`]|``)*)`(?:\\s*:\\s*|\\s+)', '\\s*([^\\s:,<>]+)\\s+' ~ type, '\\s*(.+?)\\s*:\\s*' ~ type,
    '\\s*([^:]+?)\\s*:\\s*',
  ] -%}
    {%- set found = modules.re.match('(?is)' ~ pattern, text[start:]) -%}
    {%- if found -%}
      {%- set name = found.group(1) | replace('``', '`') if loop.first else found.group(1) -%}
      {{ return({'name': name, 'end': start + found.end()}) }}
    {%- endif -%}
  {%- endfor -%}
  {%- do deltawave._fail('data_type', {'value': text, 'rest': text[start:]}) -%}
{%- endmacro -%}

{# The kinds and names of all parts of a parsed type: array, map, struct, and the atomic types inside them. #}
{%- macro _type_parts(type) -%}
  {%- if type.kind == 'atomic' -%}{{ return([type.name]) }}{%- endif -%}
  {%- set inner = {'array': [type.element], 'map': [type.key, type.value]}.get(type.kind)
      or type.fields | map(attribute='type') | list -%}
  {%- set parts = [type.kind] -%}
  {%- for part in inner -%}{%- do parts.extend(deltawave._type_parts(part)) -%}{%- endfor -%}
  {{ return(parts) }}
{%- endmacro -%}

{#
  An expression with the same content that Spark can compare (<=>), group by and sort; two are equal exactly where the
  contract says so. Spark's own comparison already equates -0.0 with 0.0 and NaN with NaN, and distinguishes a null
  struct from a struct of nulls. A map becomes its entries in key order, a variant its type and JSON text, collated
  text its bytes, an interval of months its text in years and months: Spark does not hand such an interval over to
  Python.
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
      {%- set entries = 'transform(' ~ entries ~ ", entry -> named_struct('key', " ~ key ~ ", 'value', " ~ value
          ~ '))' -%}
    {%- endif -%}
    {{ return('sort_array(' ~ entries ~ ')') }}

  {%- elif type.kind == 'struct' -%}
    {%- set fields, rewritten = [], [] -%}
    {%- for field in type.fields -%}
      {%- set path = expression ~ '.' ~ deltawave._quoted(field.name) -%}
      {%- set part = deltawave._comparable_part(path, field.type) -%}
      {%- do fields.append(deltawave._literal(field.name) ~ ', ' ~ part) -%}
      {%- if part != path -%}{%- do rewritten.append(field.name) -%}{%- endif -%}
    {%- endfor -%}
    {%- if not rewritten -%}{{ return(expression) }}{%- endif -%}
    {{ return('if(isnull(' ~ expression ~ '), null, named_struct(' ~ fields | join(', ') ~ '))') }}

  {%- elif type.name == 'variant' -%}
    {{ return(
      'concat(schema_of_variant(' ~ expression ~ "), ' ', to_json(" ~ expression ~ ", map('timeZone', 'UTC')))"
    ) }}
  {%- elif modules.re.match('interval (year|month)', type.name) -%}
    {{ return('cast(cast(' ~ expression ~ ' as interval year to month) as string)') }}
  {%- elif type.name == 'interval' -%}
    {{ return('cast(' ~ expression ~ ' as string)') }}
  {%- elif ' collate ' in type.name -%}
    {{ return('collate(' ~ expression ~ ", 'UTF8_BINARY')") }}
  {%- endif -%}
  {{ return(expression) }}
{%- endmacro -%}

{# The narrowest type that holds every value of two numeric types exactly; none where none does, or of other types. #}
{%- macro _common_number_type(one, other) -%}
  {%- set whole = {'tinyint': 3, 'smallint': 5, 'int': 10, 'bigint': 19} -%}
  {%- set types = [one, other] -%}
  {%- if 'double' in types or 'float' in types -%}
    {#- A double holds 53 bits: every int, but not every bigint. -#}
    {%- set exact = types | reject('in', ['double', 'float', 'int', 'smallint', 'tinyint']) | list -%}
    {{ return(none if exact else 'double') }}
  {%- elif one in whole and other in whole -%}
    {{ return(one if whole[one] > whole[other] else other) }}
  {%- endif -%}

  {%- set digits, scales = [], [] -%}
  {%- for data_type in types -%}
    {%- set decimal = deltawave._whole_match('decimal\\((\\d+),(\\d+)\\)', data_type) -%}
    {%- if decimal -%}
      {%- do digits.append(decimal.group(1) | int - decimal.group(2) | int) -%}
      {%- do scales.append(decimal.group(2) | int) -%}
    {%- elif data_type in whole -%}
      {%- do digits.append(whole[data_type]) -%}
      {%- do scales.append(0) -%}
    {%- endif -%}
  {%- endfor -%}
  {%- if digits | length < 2 or digits | max + scales | max > 38 -%}{{ return(none) }}{%- endif -%}
  {{ return('decimal(' ~ (digits | max + scales | max) ~ ',' ~ scales | max ~ ')') }}
{%- endmacro -%}
