{# The narrowest numeric type that holds every value of two types exactly; none where no type does, or where one is not numeric. #}
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

  {%- set digits = [] -%}
  {%- set scales = [] -%}
  {%- for data_type in types -%}
    {%- set decimal = modules.re.fullmatch('decimal\\((\\d+),(\\d+)\\)', data_type) -%}
    {%- if decimal -%}
      {%- do digits.append(decimal.group(1) | int - decimal.group(2) | int) -%}
      {%- do scales.append(decimal.group(2) | int) -%}
    {%- elif data_type in whole -%}
      {%- do digits.append(whole[data_type]) -%}
      {%- do scales.append(0) -%}
    {%- endif -%}
  {%- endfor -%}
  {%- if digits | length < 2 or digits | max + scales | max > 38 -%}
    {{ return(none) }}
  {%- endif -%}
  {{ return('decimal(' ~ (digits | max + scales | max) ~ ',' ~ scales | max ~ ')') }}
{%- endmacro -%}
