{#
  The options with which Spark refuses what it cannot read instead of guessing: {option: {value, otherwise}}, by
  format. Spark's own defaults match a CSV's columns by position and fill a truncated row with nulls.
#}
{%- macro _safe_options(file_format) -%}
  {%- set options = {
    'ignoreCorruptFiles': {'value': 'false', 'otherwise': "a file that can't be read is left out"},
    'ignoreMissingFiles': {'value': 'false', 'otherwise': 'a file that vanishes is left out'},
  } -%}
  {%- if file_format in ['csv', 'json', 'xml'] -%}
    {%- do options.update(mode={
      'value': 'FAILFAST', 'otherwise': "a row that can't be read becomes nulls, or is left out",
    }) -%}
  {%- endif -%}
  {%- if file_format == 'csv' -%}
    {%- do options.update(
      header={'value': 'true', 'otherwise': 'columns are taken by their position, whatever a header says'},
      enforceSchema={'value': 'false', 'otherwise': 'columns are taken by their position, whatever the header says'},
      columnPruning={'value': 'false', 'otherwise': 'a cut row or another header is not seen in columns that a query does not read'},
    ) -%}
  {%- endif -%}
  {{ return(options) }}
{%- endmacro -%}

{# The given options, and the safe ones where none is given. Spark ignores the case of option names. #}
{%- macro _with_safe_options(file_format, given) -%}
  {%- set names = given.keys() | map('lower') | list -%}
  {%- set options = dict(given) -%}
  {%- for option, safe in deltawave._safe_options(file_format).items() if option | lower not in names -%}
    {%- do options.update({option: safe.value}) -%}
  {%- endfor -%}
  {{ return(options) }}
{%- endmacro -%}

{# Warns of options that let half a file pass. `options` are all that the table has. #}
{%- macro _warn_of_unsafe_options(name, file_format, options) -%}
  {%- set values = deltawave._lowered(options) -%}
  {%- set unsafe = [] -%}
  {%- for option, safe in deltawave._safe_options(file_format).items()
      if values.get(option | lower) != safe.value | lower -%}
    {%- do unsafe.append(option ~ ' is not ' ~ safe.value ~ ': ' ~ safe.otherwise) -%}
  {%- endfor -%}
  {%- if unsafe -%}
    {%- do exceptions.warn(deltawave._message('unsafe_source', {'source': name, 'unsafe': unsafe | join('; ')})) -%}
  {%- endif -%}
{%- endmacro -%}

{# Options and their values in lower case. #}
{%- macro _lowered(options) -%}
  {%- set values = {} -%}
  {%- for option, value in options.items() -%}
    {%- do values.update({option | lower: value | string | lower}) -%}
  {%- endfor -%}
  {{ return(values) }}
{%- endmacro -%}
