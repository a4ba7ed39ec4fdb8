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

{# The type that starts at a position: {type, end}. #}
{%- macro _parse_type_at(text, start) -%}
  {%- set nested = modules.re.compile('(?i)\\s*(array|map|struct)\\s*<\\s*').match(text, start) -%}
  {%- if not nested -%}
    {%- set atomic = modules.re.compile('[^,<>()]*(\\([^()]*\\)[^,<>()]*)?').match(text, start) -%}
    {%- set name = modules.re.sub('(?i)\\s+not\\s+null$', '', atomic.group() | trim) -%}
    {%- if not name -%}
      {%- do deltawave._fail('data_type', {'value': text, 'rest': text[start:]}) -%}
    {%- endif -%}
    {{ return({'type': {'kind': 'atomic', 'name': name | lower}, 'end': atomic.end()}) }}
  {%- endif -%}

  {%- set kind = nested.group(1) | lower -%}
  {%- set separator = modules.re.compile('(?i)\\s*(,|>(\\s*not\\s+null)?)\\s*') -%}
  {%- set parts = [] -%}
  {%- set at = namespace(position=nested.end(), is_open=text[nested.end():nested.end() + 1] != '>') -%}
  {%- if not at.is_open -%}{%- set at.position = at.position + 1 -%}{%- endif -%}
  {#- A bounded loop, since Jinja has no while: each part takes at least one character. -#}
  {%- for _ in range(text | length) if at.is_open -%}
    {%- set field = deltawave._field_name_at(text, at.position) if kind == 'struct' else {'name': none, 'end': at.position} -%}
    {%- set part = deltawave._parse_type_at(text, field.end) -%}
    {%- set following = separator.match(text, part.end) -%}
    {%- if not following -%}
      {%- do deltawave._fail('data_type', {'value': text, 'rest': text[part.end:]}) -%}
    {%- endif -%}
    {%- do parts.append({'name': field.name, 'type': part.type}) -%}
    {%- set at.position = following.end() -%}
    {%- set at.is_open = following.group(1) == ',' -%}
  {%- endfor -%}

  {%- if kind == 'struct' -%}
    {{ return({'type': {'kind': 'struct', 'fields': parts}, 'end': at.position}) }}
  {%- elif kind == 'map' and parts | length == 2 -%}
    {{ return({'type': {'kind': 'map', 'key': parts[0].type, 'value': parts[1].type}, 'end': at.position}) }}
  {%- elif kind == 'array' and parts | length == 1 -%}
    {{ return({'type': {'kind': 'array', 'element': parts[0].type}, 'end': at.position}) }}
  {%- endif -%}
  {%- do deltawave._fail('data_type', {'value': text, 'rest': text[nested.start():]}) -%}
{%- endmacro -%}

{#
  The name of the struct field that starts at a position: {name, end}. Spark writes names without quotes, whatever characters they hold, so a name
  ends where a type follows that itself ends a field.
#}
{%- macro _field_name_at(text, start) -%}
  {%- set type -%}
    (?=(?:array|map|struct)\s*<|(?:boolean|tinyint|byte|smallint|short|int|integer|bigint|long|float|real|double|decimal|dec|numeric
    |string|char|character|varchar|binary|date|timestamp|timestamp_ntz|timestamp_ltz|time|interval|variant|void|geometry|geography)
    \s*(?:\([^()]*\))?(?:\s(?:collate|day|hour|minute|second|year|month|not)\b[^,<>:]*)?(?:[,>]|$))
  {%- endset -%}
  {%- set type = modules.re.sub('\\s*\\n\\s*', '', type) -%}
  {%- for pattern in ['\\s*`((?:[^`]|``)*)`(?:\\s*:\\s*|\\s+)', '\\s*([^\\s:,<>]+)\\s+' ~ type, '\\s*(.+?)\\s*:\\s*' ~ type, '\\s*([^:]+?)\\s*:\\s*'] -%}
    {%- set found = modules.re.compile('(?is)' ~ pattern).match(text, start) -%}
    {%- if found -%}
      {%- set name = found.group(1) | replace('``', '`') if loop.first else found.group(1) -%}
      {{ return({'name': name, 'end': found.end()}) }}
    {%- endif -%}
  {%- endfor -%}
  {%- do deltawave._fail('data_type', {'value': text, 'rest': text[start:]}) -%}
{%- endmacro -%}
