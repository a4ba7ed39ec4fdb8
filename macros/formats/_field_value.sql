{#
  SQL for the typed value of a field's text; null if the text is null or is no valid text of its type. Nothing is
  guessed: Spark's casts alone would round 1.005 to 1.01, take '2026' for a date, and read '1d' as a number.
#}
{%- macro _field_value(field, text, decimal_separator) -%}
  {%- if field.kind == 'text' -%}
    {{ return(text) }}
  {%- elif field.kind == 'boolean' -%}
    {{ return('try_cast(' ~ text ~ ' as boolean)') }}
  {%- elif field.kind in ['date', 'timestamp'] -%}
    {{ return(deltawave._datetime_value(field, text)) }}
  {%- endif -%}
  {%- set pattern = deltawave._number_pattern(field, decimal_separator) -%}
  {%- set number = deltawave._unsigned(field.sign, text) -%}
  {%- if decimal_separator != '.' and field.kind != 'integer' -%}
    {%- set number = 'replace(' ~ number ~ ', ' ~ deltawave._literal(decimal_separator) ~ ", '.')" -%}
  {%- endif -%}
  {%- if field.implied_decimals -%}
    {%- set number = 'concat(' ~ number ~ ", 'E-" ~ field.implied_decimals ~ "')" -%}
  {%- endif -%}
  {%- set value = 'try_cast(' ~ number ~ ' as ' ~ field.data_type ~ ')' -%}
  {%- if field.kind == 'float' -%}
    {#- 1e999 is written like a number, but too large for its type. -#}
    {%- set value = 'nullif(nullif(' ~ value ~ ", double('Infinity')), double('-Infinity'))" -%}
    {%- set value = 'cast(' ~ value ~ ' as ' ~ field.data_type ~ ')' -%}
  {%- endif -%}
  {{ return('if(' ~ deltawave._matches(text, pattern) ~ ', ' ~ value ~ ', null)') }}
{%- endmacro -%}

{#
  Does the value differ from its text? 1e-999 is not 0; and dates of the year 0, which Spark accepts, are unknown to
  SQL and to most readers. None for types where this can't happen.
#}
{%- macro _is_another(field, text, value) -%}
  {%- if field.kind == 'float' -%}
    {{ return(value ~ ' = 0 and ' ~ text ~ " rlike '^[^eE]*[1-9]'") }}
  {%- elif field.kind in ['date', 'timestamp'] -%}
    {%- set begin, end = field.data_type ~ "'0001-01-01", field.data_type ~ "'9999-12-31" -%}
    {%- set zone = 'Z' if field.data_type == 'timestamp' else '' -%}
    {%- set times = ["'", "'"] if field.kind == 'date'
        else [' 00:00:00' ~ zone ~ "'", ' 23:59:59.999999' ~ zone ~ "'"] -%}
    {{ return(value ~ ' not between ' ~ begin ~ times[0] ~ ' and ' ~ end ~ times[1]) }}
  {%- endif -%}
  {{ return(none) }}
{%- endmacro -%}

{# Does a text match a regular expression as a whole? #}
{%- macro _matches(text, pattern) -%}{{ return(text ~ ' rlike ' ~ deltawave._whole_pattern(pattern)) }}{%- endmacro -%}

{%- macro _whole_pattern(pattern) -%}{{ return(deltawave._literal('\\A(?:' ~ pattern ~ ')\\z')) }}{%- endmacro -%}

{# The pattern of a number. Digits beyond those of its type are not allowed, unless they are zeros. #}
{%- macro _number_pattern(field, decimal_separator) -%}
  {%- set point = modules.re.escape(decimal_separator) -%}
  {%- set digits = '[0-9]+' -%}
  {%- if field.kind == 'float' -%}
    {%- set digits = '(?:[0-9]+' ~ point ~ '?[0-9]*|' ~ point ~ '[0-9]+)(?:[eE][+-]?[0-9]+)?' -%}
  {%- elif field.kind == 'decimal' and not field.implied_decimals and field.scale -%}
    {%- set digits = '(?=' ~ point ~ '?[0-9])[0-9]*(?:' ~ point ~ '[0-9]{0,' ~ field.scale ~ '}0*)?' -%}
  {%- endif -%}
  {{ return({
    'leading': '[+-]?' ~ digits,
    'trailing': digits ~ '[+-]?',
    'overpunched': '[0-9]*[0-9{A-I}J-R]',
  }[field.sign]) }}
{%- endmacro -%}

{# A number with its sign in front. An overpunched sign is in the last digit, as COBOL writes S9(7) of usage display. #}
{%- macro _unsigned(sign, text) -%}
  {%- set last = 'right(' ~ text ~ ', 1)' -%}
  {%- set others = 'left(' ~ text ~ ', char_length(' ~ text ~ ') - 1)' -%}
  {%- if sign == 'trailing' -%}
    {{ return('if(' ~ last ~ " in ('+', '-'), concat(" ~ last ~ ', ' ~ others ~ '), ' ~ text ~ ')') }}
  {%- elif sign == 'overpunched' -%}
    {%- set digit = 'translate(' ~ last ~ ", '{ABCDEFGHI}JKLMNOPQR', '01234567890123456789')" -%}
    {{ return('concat(if(' ~ last ~ " rlike '[}J-R]', '-', ''), " ~ others ~ ', ' ~ digit ~ ')') }}
  {%- endif -%}
  {{ return(text) }}
{%- endmacro -%}

{# A date or a time. A timestamp_ntz is read as if in UTC: the session's zone may skip the hour. #}
{%- macro _datetime_value(field, text) -%}
  {%- if not field.format -%}
    {%- set pattern = '[0-9]{4}-[0-9]{2}-[0-9]{2}' -%}
    {%- if field.kind == 'timestamp' -%}
      {%- set zone = '' if field.data_type == 'timestamp_ntz' else '(?: ?(?:Z|UTC|[+-][0-9]{2}:[0-9]{2}))?' -%}
      {%- set pattern = pattern ~ '[ T][0-9]{2}:[0-9]{2}:[0-9]{2}(?:\\.[0-9]{1,6})?' ~ zone -%}
    {%- endif -%}
    {{ return(
      'if(' ~ deltawave._matches(text, pattern) ~ ', try_cast(' ~ text ~ ' as ' ~ field.data_type ~ '), null)'
    ) }}
  {%- elif field.data_type == 'date' -%}
    {#- try_to_date exists since Spark 4.1. -#}
    {{ return('to_date(try_to_timestamp(' ~ text ~ ', ' ~ deltawave._literal(field.format) ~ '))') }}
  {%- elif field.data_type == 'timestamp' -%}
    {{ return('try_to_timestamp(' ~ text ~ ', ' ~ deltawave._literal(field.format) ~ ')') }}
  {%- endif -%}
  {%- set instant = 'try_to_timestamp(concat(' ~ text ~ ", ' +0000'), " ~ deltawave._literal(field.format ~ ' Z')
      ~ ')' -%}
  {{ return(deltawave._utc_time(instant)) }}
{%- endmacro -%}
