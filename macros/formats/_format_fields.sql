{# The fields of a record, checked and with every default filled in, in the order of the definition. #}
{%- macro _format_fields(name, file_format, external, partitions) -%}
  {%- if not external.fields or external.fields is string or external.fields is mapping -%}
    {%- do deltawave._fail('format_without_fields', {'source': name}) -%}
  {%- endif -%}
  {%- set known = partitions | map('lower') | list -%}
  {%- set place = namespace(next=1) -%}
  {%- set fields = [] -%}
  {%- for given in external.fields -%}
    {%- set field = deltawave._format_field(name, file_format, external, given, place.next) -%}
    {%- if field.name | lower in known -%}
      {%- do deltawave._fail('format_field_twice', {'source': name, 'field': field.name}) -%}
    {%- endif -%}
    {%- do known.append(field.name | lower) -%}
    {%- do fields.append(field) -%}
    {%- if file_format == 'fixed_width' -%}{%- set place.next = field.start + field.length -%}{%- endif -%}
  {%- endfor -%}
  {#- Fields may leave characters out; if two fields read the same characters, a start or a length is wrong. -#}
  {%- for field in fields | sort(attribute='start') if file_format == 'fixed_width' -%}
    {%- set previous = loop.previtem or {'start': 1, 'length': 0} -%}
    {%- set end = previous.start + previous.length - 1 -%}
    {%- if field.start <= end -%}
      {%- do deltawave._fail('format_overlap', {
        'source': name, 'field': field.name, 'start': field.start, 'previous': previous.name, 'end': end,
      }) -%}
    {%- endif -%}
  {%- endfor -%}
  {{ return(fields) }}
{%- endmacro -%}

{#
  One field: {name, data_type, kind, scale, trim, null_markers, required, format, implied_decimals, sign}, and {start,
  length} of a fixed width.
#}
{%- macro _format_field(name, file_format, external, given, next) -%}
  {%- if given is not mapping or given.name is not string or not given.name -%}
    {%- do deltawave._fail('format_field_name', {'source': name, 'value': given}) -%}
  {%- endif -%}
  {%- set label = 'fields.' ~ given.name -%}
  {%- set is_placed = file_format == 'fixed_width' -%}
  {%- set given = deltawave._known_fields(
    name, 'external.' ~ label, given, ['name', 'data_type'] + (['start', 'length'] if is_placed else [])
    + ['trim', 'null_marker', 'required', 'format', 'implied_decimals', 'sign']
  ) -%}

  {%- set type = deltawave._field_type(name, label, given.data_type) -%}
  {%- set default = external.trim or ('none' if file_format == 'delimited' and type.kind == 'text' else 'both') -%}
  {%- for option, trim in {'trim': external.trim, label ~ '.trim': given.trim}.items() -%}
    {%- do deltawave._format_choice(name, option, trim, ['both', 'left', 'right', 'none']) -%}
  {%- endfor -%}
  {#- The empty text stands for null, unless other texts are given. -#}
  {%- set marker = external.null_marker if given.null_marker is none else given.null_marker -%}
  {%- set is_list = marker is sequence and marker is not string -%}
  {%- set markers = [''] if marker is none else marker | list if is_list else [marker] -%}
  {%- for text in markers if text is not string -%}
    {%- do deltawave._refuse_value(name, 'null_marker', text, 'text in quotes, or a list of texts') -%}
  {%- endfor -%}
  {%- set field = dict(
    type, name=given.name, trim=given.trim or default, null_markers=markers,
    required=deltawave._format_choice(name, label ~ '.required', given.required, [false, true]),
    **deltawave._field_writing(name, label, given, type)
  ) -%}
  {%- if is_placed -%}
    {%- do field.update(
      start=deltawave._position(name, label ~ '.start', next if given.start is none else given.start),
      length=deltawave._position(name, label ~ '.length', given.length)
    ) -%}
  {%- endif -%}
  {{ return(field) }}
{%- endmacro -%}

{%- macro _position(name, option, value) -%}
  {%- if value is not integer or value < 1 -%}
    {%- do deltawave._refuse_value(name, option, value, 'a number of characters, from 1') -%}
  {%- endif -%}
  {{ return(value) }}
{%- endmacro -%}

{# {data_type, kind, scale} of a field: only types that have one way to be written as text. #}
{%- macro _field_type(name, label, data_type) -%}
  {%- set kinds = {
    'string': 'text', 'boolean': 'boolean', 'tinyint': 'integer', 'smallint': 'integer', 'int': 'integer',
    'integer': 'integer', 'bigint': 'integer', 'float': 'float', 'double': 'float', 'date': 'date',
    'timestamp': 'timestamp', 'timestamp_ntz': 'timestamp',
  } -%}
  {%- set text = data_type | string | lower | trim -%}
  {%- if text in kinds -%}{{ return({'data_type': text, 'kind': kinds[text], 'scale': none}) }}{%- endif -%}
  {%- set decimal = modules.re.match('decimal\\s*\\(\\s*(\\d+)\\s*(?:,\\s*(\\d+)\\s*)?\\)$', text) -%}
  {%- set precision, scale = (decimal.group(1) | int, decimal.group(2) | int(0)) if decimal else (0, 0) -%}
  {%- if precision < 1 or precision > 38 or scale > precision -%}
    {%- set allowed = (kinds.keys() | list + ['decimal(precision, scale)']) | join(', ') -%}
    {%- do deltawave._refuse_value(name, label ~ '.data_type', data_type, allowed) -%}
  {%- endif -%}
  {{ return({'data_type': 'decimal(' ~ precision ~ ',' ~ scale ~ ')', 'kind': 'decimal', 'scale': scale}) }}
{%- endmacro -%}

{#
  How a value is written: {format} of dates and times, {sign, implied_decimals} of numbers. Options that have no effect
  on the type are refused.
#}
{%- macro _field_writing(name, label, given, type) -%}
  {%- for option, kinds in {
    'format': ['date', 'timestamp'], 'implied_decimals': ['decimal'], 'sign': ['integer', 'decimal', 'float'],
  }.items() if given[option] is not none and type.kind not in kinds -%}
    {%- do deltawave._fail('format_option_of_type', {
      'source': name, 'option': label ~ '.' ~ option, 'type': type.data_type,
    }) -%}
  {%- endfor -%}
  {%- set decimals = given.implied_decimals or 0 -%}
  {%- if decimals is not integer or decimals < 0 or (type.kind == 'decimal' and decimals > type.scale) -%}
    {%- do deltawave._refuse_value(
      name, label ~ '.implied_decimals', decimals, 'a whole number up to the scale of its ' ~ type.data_type
    ) -%}
  {%- endif -%}
  {{ return({
    'format': deltawave._datetime_format(name, label ~ '.format', given.format, type.kind),
    'implied_decimals': decimals,
    'sign': deltawave._format_choice(name, label ~ '.sign', given.sign, ['leading', 'trailing', 'overpunched']),
  }) }}
{%- endmacro -%}

{#
  A Spark pattern for dates and times. Refused are letters that mean something else than they seem to (YYYY, DD), and a
  pattern that is not complete: Spark would take January for a missing month, and midnight for a missing hour.
#}
{%- macro _datetime_format(name, option, given, kind) -%}
  {%- set format = deltawave._format_text(name, option, given) -%}
  {%- if not format -%}{{ return(format) }}{%- endif -%}
  {%- set letters = modules.re.sub("'[^']*'", '', format) -%}
  {%- if modules.re.search('[A-Za-z]', modules.re.sub('[yMdHhmsSaXxZVzO]', '', letters)) -%}
    {%- do deltawave._refuse_value(name, option, format, 'yyyy, MM, dd, HH, mm and ss, as in yyyyMMdd') -%}
  {%- endif -%}
  {%- set has_day = 'y' in letters and 'M' in letters and 'd' in letters -%}
  {%- if kind == 'date' -%}
    {%- set rest = ' alone, as in yyyyMMdd' -%}
    {%- set is_whole = not modules.re.search('[HhmsSaXxZVzO]', letters) -%}
  {%- else -%}
    {%- set rest = ', then hours (H, or h with a), minutes (m) and seconds (s), as in yyyyMMddHHmmss' -%}
    {%- set is_whole = ('h' in letters) == ('a' in letters) and ('m' not in letters or 'H' in letters or 'h' in letters)
        and ('m' in letters or not modules.re.search('[sS]', letters)) -%}
  {%- endif -%}
  {%- if not has_day or not is_whole -%}
    {%- do deltawave._refuse_value(name, option, format, 'year (y), month (M) and day (d)' ~ rest) -%}
  {%- endif -%}
  {{ return(format) }}
{%- endmacro -%}
