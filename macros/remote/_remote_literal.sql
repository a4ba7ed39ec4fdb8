{#
  A key's value, given as Spark's text of it, as a literal of the database, typed as _remote_key compares it. A value
  not written in the form of the column's kind is refused, so only text has to be escaped.
#}
{%- macro _remote_literal(job, key, value) -%}
  {%- set number = '-?\\d+(\\.\\d+)?(E[+-]?\\d+)?' -%}
  {%- set patterns = {
    'text': '[\\s\\S]*', 'number': number, 'double': number ~ '|NaN|-?Infinity', 'boolean': 'true|false',
    'date': '\\d{4}-\\d\\d-\\d\\d',
    'timestamp': '\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d(\\.\\d{1,6})?',
    'timestamp_ntz': '\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d(\\.\\d{1,6})?',
  } -%}
  {%- if not deltawave._whole_match(patterns[key.kind], value) -%}
    {%- do deltawave._fail('remote_key_value', {
      'model': job.name, 'column': key.column, 'value': value, 'kind': key.kind,
    }) -%}
  {%- endif -%}
  {{ return(deltawave._in_dialect(job, '_remote_literal')(key.kind, value)) }}
{%- endmacro -%}

{# In E'' a backslash is an escape, whatever standard_conforming_strings says. #}
{%- macro postgresql___remote_literal(kind, value) -%}
  {%- if kind == 'text' -%}
    {%- set quoted = "'" ~ value | replace("'", "''") ~ "'" -%}
    {{ return('E' ~ quoted | replace('\\', '\\\\') if '\\' in value else quoted) }}
  {%- elif kind == 'double' -%}
    {{ return("'" ~ value ~ "'::float8") }}
  {%- elif kind == 'timestamp' -%}
    {{ return("timestamptz '" ~ value ~ "+00'") }}
  {%- elif kind in ['date', 'timestamp_ntz'] -%}
    {{ return(kind | replace('_ntz', '') ~ " '" ~ value ~ "'") }}
  {%- endif -%}
  {{ return(value) }}
{%- endmacro -%}

{%- macro mysql___remote_literal(kind, value) -%}
  {%- if kind == 'text' -%}
    {{ return("X'" ~ value.encode('utf-8').hex() ~ "'") }}
  {%- elif kind == 'timestamp' -%}
    {{ return(deltawave._seconds(value)) }}
  {%- elif kind in ['date', 'timestamp_ntz'] -%}
    {{ return(kind | replace('_ntz', '') ~ " '" ~ value ~ "'") }}
  {%- endif -%}
  {{ return(value) }}
{%- endmacro -%}

{%- macro derby___remote_literal(kind, value) -%}
  {%- if kind == 'text' -%}
    {{ return("X'" ~ value.encode('utf-8').hex() ~ "00'") }}
  {%- elif kind in ['date', 'timestamp_ntz'] -%}
    {{ return(kind | replace('_ntz', '') ~ "('" ~ value ~ "')") }}
  {%- endif -%}
  {{ return(value) }}
{%- endmacro -%}

{# A UTC timestamp, given as text, in seconds since 1970 with six decimals. #}
{%- macro _seconds(value) -%}
  {%- set written = '%Y-%m-%d %H:%M:%S.%f' if '.' in value else '%Y-%m-%d %H:%M:%S' -%}
  {%- set since = modules.datetime.datetime.strptime(value, written) - modules.datetime.datetime(1970, 1, 1) -%}
  {%- set micros = (since.days * 86400 + since.seconds) * 1000000 + since.microseconds -%}
  {{ return('%s%d.%06d' % ('-' if micros < 0 else '', micros | abs // 1000000, micros | abs % 1000000)) }}
{%- endmacro -%}
