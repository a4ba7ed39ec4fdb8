{#
  An expression that is equal for rows which the delta contract takes as equal, and, up to collisions, for no others.
  64 bits: a bigint. 128 bits: text of 32 hexadecimal digits. TLCS of CH98 3.3 keeps one such checksum beside each key.

  Spark's xxhash64 passes over nulls and runs arrays together, so a bit says which values are null and each array brings its size.
  Typed: int 1 and bigint 1 differ, so do decimal(3,1) 1.0 and decimal(3,2) 1.00. The columns' order counts, their names don't.
#}
{%- macro row_checksum(columns, bits=64, relation=none) -%}
  {{ return(adapter.dispatch('row_checksum', 'deltawave')(columns, bits, relation)) }}
{%- endmacro -%}

{%- macro default__row_checksum(columns, bits, relation) -%}
  {%- if bits not in [64, 128] -%}
    {%- do deltawave._fail('option_value', {'model': 'row_checksum', 'option': 'bits', 'value': bits, 'allowed': '64 or 128'}) -%}
  {%- endif -%}
  {%- set typed = deltawave._typed_columns(columns, relation, 'row_checksum') -%}
  {%- set low = deltawave._row_hash(typed, lane=0) -%}
  {%- if bits == 64 -%}
    {{ return(low) }}
  {%- endif -%}
  {%- set high = deltawave._row_hash(typed, lane=1) -%}
  {{ return("lower(concat(lpad(hex(" ~ high ~ "), 16, '0'), lpad(hex(" ~ low ~ "), 16, '0')))") }}
{%- endmacro -%}
