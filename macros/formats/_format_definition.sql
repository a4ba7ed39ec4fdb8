{#
  The format definition in an external block, checked: how records are separated and read, and which fields they have.
  The production version of WHIPS takes such a definition of "the record format of the snapshots", which "identifies
  the key field(s)" (LG96 6).

  name: the source, for messages; external: its block, as _known_fields returns it; partitions: the names of the columns
  from folders.
#}
{%- macro _format_definition(name, file_format, external, partitions) -%}
  {%- set fields = deltawave._format_fields(name, file_format, external, partitions) -%}
  {%- set format = {
    'kind': file_format,
    'encoding': deltawave._encoding(name, external.encoding),
    'record_separator': deltawave._format_text(name, 'record_separator', external.record_separator),
    'decimal_separator': deltawave._format_choice(name, 'decimal_separator', external.decimal_separator, ['.', ',']),
    'bad_records': deltawave._format_choice(name, 'bad_records', external.bad_records, ['quarantine', 'fail']),
    'fields': fields,
    'key': [external.key] if external.key is string else (external.key or []) | list,
  } -%}
  {%- set names = fields | map(attribute='name') | list -%}
  {%- for wanted in format.key if wanted not in names -%}
    {%- do deltawave._fail('format_key', {'source': name, 'value': wanted, 'fields': names | join(', ')}) -%}
  {%- endfor -%}
  {#- Spark looks for its bytes in UTF-8, before a line is decoded; ASCII has the same bytes in every encoding. -#}
  {%- set separator = format.record_separator -%}
  {%- if separator and not separator.isascii() and format.encoding != 'utf-8' -%}
    {%- do deltawave._refuse_value(
      name, 'record_separator', separator, 'characters of ASCII, or any with encoding: utf-8'
    ) -%}
  {%- endif -%}
  {%- if file_format == 'fixed_width' -%}
    {%- do format.update(
      record_length=deltawave._record_length(name, external.record_length, fields),
      short_records=deltawave._format_choice(name, 'short_records', external.short_records, ['quarantine', 'pad'])
    ) -%}
  {%- else -%}
    {%- do format.update(deltawave._delimiters(name, external)) -%}
  {%- endif -%}
  {%- do format.update(
    header=deltawave._line_patterns(name, 'header', external.header, format),
    trailer=deltawave._line_patterns(name, 'trailer', external.trailer, format)
  ) -%}
  {{ return(format) }}
{%- endmacro -%}

{# The options of an external block besides location, file_format, using and partitions. #}
{%- macro _format_options(file_format) -%}
  {%- set common = [
    'encoding', 'record_separator', 'decimal_separator', 'null_marker', 'trim', 'bad_records', 'key', 'header',
    'trailer', 'fields',
  ] -%}
  {{ return(common + (['record_length', 'short_records'] if file_format == 'fixed_width' else ['delimiter', 'quote'])) }}
{%- endmacro -%}

{# The value of an option that takes one of a few values; by default the first of them. #}
{%- macro _format_choice(name, option, value, allowed) -%}
  {%- if value is not none and value not in allowed -%}
    {%- set names = allowed | reject('none') | map('string') | map('lower') | join(' or ') -%}
    {%- do deltawave._refuse_value(name, option, value, names) -%}
  {%- endif -%}
  {{ return(allowed[0] if value is none else value) }}
{%- endmacro -%}

{# Text that is not empty, or none. A number in the yml is refused: 007 without quotes would be 7. #}
{%- macro _format_text(name, option, value) -%}
  {%- if value is not none and (value is not string or not value) -%}
    {%- do deltawave._refuse_value(name, option, value, 'text in quotes') -%}
  {%- endif -%}
  {{ return(value) }}
{%- endmacro -%}

{%- macro _refuse_value(name, option, value, allowed) -%}
  {%- do deltawave._fail('external_value', {'source': name, 'option': option, 'value': value, 'allowed': allowed}) -%}
{%- endmacro -%}

{# The characters of a record: up to its last field, unless more are declared. #}
{%- macro _record_length(name, given, fields) -%}
  {%- set ends = [] -%}
  {%- for field in fields -%}{%- do ends.append(field.start + field.length - 1) -%}{%- endfor -%}
  {%- if given is not none and (given is not integer or given < ends | max) -%}
    {%- do deltawave._refuse_value(
      name, 'record_length', given, 'a whole number from ' ~ (ends | max) ~ ', where the last field ends'
    ) -%}
  {%- endif -%}
  {{ return(ends | max if given is none else given) }}
{%- endmacro -%}

{# The text between fields, and the one around fields that contain it: {delimiter, quote}. #}
{%- macro _delimiters(name, external) -%}
  {%- set delimiter = deltawave._format_text(name, 'delimiter', external.delimiter) -%}
  {%- set quote = deltawave._format_text(name, 'quote', external.quote) -%}
  {%- if not delimiter -%}
    {%- do deltawave._fail('format_delimiter', {'source': name}) -%}
  {%- elif quote
      and (quote | length > 1 or delimiter | length > 1 or quote == delimiter or modules.re.match('\\w', quote)) -%}
    {%- do deltawave._refuse_value(
      name, 'quote', quote, 'one character that is no letter or digit, other than a delimiter of one character'
    ) -%}
  {%- endif -%}
  {{ return({'delimiter': delimiter, 'quote': quote}) }}
{%- endmacro -%}

{# The formats of legacy files, whose records a format definition describes (LG96 6); all others are Spark's formats. #}
{%- macro _record_formats() -%}{{ return(['fixed_width', 'delimited']) }}{%- endmacro -%}

{%- macro _has_records(external) -%}
  {{ return((external.file_format or external.using or '') | string | lower in deltawave._record_formats()) }}
{%- endmacro -%}

{#
  The fields of a yml block, none where it lacks one. Refuses those that nobody reads, which dbt passes on; it adds
  empty values for missing known ones.
#}
{%- macro _known_fields(name, block, fields, known) -%}
  {%- for option, value in fields.items() if option not in known and value is not none -%}
    {%- do deltawave._fail('unknown_external_option', {
      'source': name, 'block': block, 'option': option, 'known': known | join(', '),
    }) -%}
  {%- endfor -%}
  {%- set values = {} -%}
  {%- for option in known -%}{%- do values.update({option: fields.get(option)}) -%}{%- endfor -%}
  {{ return(values) }}
{%- endmacro -%}

{# What Spark has to accept of a definition, as values: regular expressions, and patterns of dates and times. #}
{%- macro _expressions(format) -%}
  {%- set expressions = ['true'] -%}
  {%- for line in format.header + format.trailer -%}
    {%- do expressions.append(deltawave._matches("''", line.pattern)) -%}
    {#- Spark looks for a group only where an expression matches, as this one always does. -#}
    {%- if line.counts -%}
      {%- do expressions.append("regexp_extract('', " ~ deltawave._literal('(?:' ~ line.pattern ~ ')|') ~ ', 1)') -%}
    {%- endif -%}
  {%- endfor -%}
  {%- for field in format.fields if field.format -%}
    {%- do expressions.append(deltawave._field_value(field, "'0'", format.decimal_separator)) -%}
  {%- endfor -%}
  {{ return(expressions) }}
{%- endmacro -%}
