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
  {%- if file_format == 'fixed_width' -%}
    {%- do deltawave._refuse_overlap(name, fields | sort(attribute='start')) -%}
  {%- endif -%}
  {{ return(fields) }}
{%- endmacro -%}

{# Fields may leave characters out; if two fields read the same characters, a start or a length is wrong. #}
{%- macro _refuse_overlap(name, fields) -%}
  {%- for field in fields -%}
    {%- set previous = loop.previtem or {'start': 1, 'length': 0} -%}
    {%- set end = previous.start + previous.length - 1 -%}
    {%- if field.start <= end -%}
      {%- do deltawave._fail('format_overlap', {
        'source': name, 'field': field.name, 'start': field.start, 'previous': previous.name, 'end': end,
      }) -%}
    {%- endif -%}
  {%- endfor -%}
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
  {%- set places = ['start', 'length'] if file_format == 'fixed_width' else [] -%}
  {%- set known = ['name', 'data_type'] + places + [
    'trim', 'null_marker', 'required', 'format', 'implied_decimals', 'sign',
  ] -%}
  {%- do deltawave._require_known_fields(name, 'external.' ~ label, given, known) -%}

  {%- set type = deltawave._field_type(name, label, given.data_type) -%}
  {%- set default = external.trim or ('none' if file_format == 'delimited' and type.kind == 'text' else 'both') -%}
  {%- set allowed_trims = ['both', 'left', 'right', 'none'] -%}
  {%- do deltawave._format_choice(name, 'trim', external.trim, allowed_trims) -%}
  {%- do deltawave._format_choice(name, label ~ '.trim', given.trim, allowed_trims) -%}
  {%- set markers = external.null_marker if given.null_marker is none or given.null_marker is not defined
      else given.null_marker -%}
  {%- set field = {
    'name': given.name,
    'data_type': type.data_type,
    'kind': type.kind,
    'scale': type.scale,
    'trim': given.trim or default,
    'null_markers': deltawave._null_markers(name, markers),
    'required': deltawave._format_choice(name, label ~ '.required', given.required, [false, true]),
  } -%}
  {%- do field.update(deltawave._field_writing(name, label, given, type)) -%}
  {%- if file_format == 'fixed_width' -%}
    {%- do field.update(
      start=deltawave._position(name, label ~ '.start', next if given.start is none or given.start is not defined else given.start),
      length=deltawave._position(name, label ~ '.length', given.length)
    ) -%}
  {%- endif -%}
  {{ return(field) }}
{%- endmacro -%}

{%- macro _position(name, option, value) -%}
  {%- if value is not integer or value < 1 -%}
    {%- do deltawave._fail('external_value', {
      'source': name, 'option': option, 'value': none if value is not defined else value,
      'allowed': 'a number of characters, from 1',
    }) -%}
  {%- endif -%}
  {{ return(value) }}
{%- endmacro -%}

{# The texts that stand for null; the empty text unless others are given. #}
{%- macro _null_markers(name, given) -%}
  {%- if given is none or given is not defined -%}
    {{ return(['']) }}
  {%- endif -%}
  {%- set markers = [given] if given is string or given is not sequence else given -%}
  {%- for marker in markers if marker is not string -%}
    {%- do deltawave._fail('external_value', {
      'source': name, 'option': 'null_marker', 'value': marker, 'allowed': 'text in quotes, or a list of texts',
    }) -%}
  {%- endfor -%}
  {{ return(markers | list) }}
{%- endmacro -%}

{# {data_type, kind, scale} of a field: only types that have one way to be written as text. #}
{%- macro _field_type(name, label, data_type) -%}
  {%- set kinds = {
    'string': 'text', 'boolean': 'boolean', 'tinyint': 'integer', 'smallint': 'integer', 'int': 'integer',
    'integer': 'integer',
    'bigint': 'integer', 'float': 'float', 'double': 'float', 'date': 'date', 'timestamp': 'timestamp',
    'timestamp_ntz': 'timestamp',
  } -%}
  {%- set text = data_type | string | lower | trim -%}
  {%- if text in kinds -%}
    {{ return({'data_type': text, 'kind': kinds[text], 'scale': none}) }}
  {%- endif -%}
  {%- set decimal = modules.re.match('decimal\\s*\\(\\s*(\\d+)\\s*(?:,\\s*(\\d+)\\s*)?\\)$', text) -%}
  {%- if not decimal or decimal.group(2) | int(0) > decimal.group(1) | int or decimal.group(1) | int > 38
      or decimal.group(1) | int == 0 -%}
    {%- do deltawave._fail('external_value', {
      'source': name, 'option': label ~ '.data_type', 'value': none if data_type is not defined else data_type,
      'allowed': (kinds.keys() | list + ['decimal(precision, scale)']) | join(', '),
    }) -%}
  {%- endif -%}
  {%- set scale = decimal.group(2) | int(0) -%}
  {{ return({
    'data_type': 'decimal(' ~ decimal.group(1) | int ~ ',' ~ scale ~ ')', 'kind': 'decimal', 'scale': scale,
  }) }}
{%- endmacro -%}

{#
  How a value is written: {format} of dates and times, {sign, implied_decimals} of numbers. Options that have no effect
  on the type are refused.
#}
{%- macro _field_writing(name, label, given, type) -%}
  {%- set kinds_of = {
    'format': ['date', 'timestamp'], 'implied_decimals': ['decimal'], 'sign': ['integer', 'decimal', 'float'],
  } -%}
  {%- for option, kinds in kinds_of.items() if given[option] is defined and given[option] is not none
      and type.kind not in kinds -%}
    {%- do deltawave._fail('format_option_of_type', {
      'source': name, 'option': label ~ '.' ~ option, 'type': type.data_type,
    }) -%}
  {%- endfor -%}
  {%- set decimals = given.implied_decimals or 0 -%}
  {%- if decimals is not integer or decimals < 0 or (type.kind == 'decimal' and decimals > type.scale) -%}
    {%- do deltawave._fail('external_value', {
      'source': name, 'option': label ~ '.implied_decimals', 'value': decimals,
      'allowed': 'a whole number up to the scale of its ' ~ type.data_type,
    }) -%}
  {%- endif -%}
  {{ return({
    'format': deltawave._datetime_format(name, label ~ '.format', given.format, type.kind),
    'implied_decimals': decimals,
    'sign': deltawave._format_choice(name, label ~ '.sign', given.sign, ['leading', 'trailing', 'overpunched']),
  }) }}
{%- endmacro -%}

{# A Spark pattern for dates and times. Letters that mean something else than they seem to (YYYY, DD) are refused. #}
{%- macro _datetime_format(name, option, given, kind) -%}
  {%- set format = deltawave._format_text(name, option, given) -%}
  {%- set letters = modules.re.sub("'[^']*'", '', format or '') -%}
  {%- if modules.re.search("[A-Za-z]", modules.re.sub('[yMdHhmsSaXxZVzO]', '', letters)) -%}
    {%- do deltawave._fail('external_value', {
      'source': name, 'option': option, 'value': format, 'allowed': 'yyyy, MM, dd, HH, mm and ss, as in yyyyMMdd',
    }) -%}
  {%- elif format and not deltawave._is_whole_datetime(letters, kind) -%}
    {%- do deltawave._fail('external_value', {
      'source': name, 'option': option, 'value': format, 'allowed': 'year (y), month (M) and day (d)' ~ (
        ' alone, as in yyyyMMdd' if kind == 'date'
          else ', then hours (H, or h with a), minutes (m) and seconds (s), as in yyyyMMddHHmmss'
      ),
    }) -%}
  {%- endif -%}
  {{ return(format) }}
{%- endmacro -%}

{# Is a pattern complete? Spark would take January for a missing month, and midnight for a missing hour. #}
{%- macro _is_whole_datetime(letters, kind) -%}
  {%- set day = 'y' in letters and 'M' in letters and 'd' in letters -%}
  {%- if kind == 'date' -%}
    {{ return(day and not modules.re.search('[HhmsSaXxZVzO]', letters)) }}
  {%- endif -%}
  {%- set hour = 'H' in letters or 'h' in letters -%}
  {{ return(
    day and ('h' in letters) == ('a' in letters) and (hour or 'm' not in letters)
      and ('m' in letters or not modules.re.search('[sS]', letters))
  ) }}
{%- endmacro -%}
