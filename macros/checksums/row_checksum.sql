{#
  An expression that is equal for rows that the delta contract takes as equal and, up to collisions, for no others. 64
  bits: a bigint. 128 bits:
  text of 32 hexadecimal digits. TLCS of CH98 3.3 stores one such checksum with each key. Spark's xxhash64 skips nulls
  and concatenates arrays, so a bit marks each null and each array adds its size. Typed: int 1 and bigint 1 differ, so
  do decimal(3,1) 1.0 and decimal(3,2) 1.00. The order of columns matters, their names do not.
#}
{%- macro row_checksum(columns, bits=64, relation=none) -%}
  {%- do deltawave._require_choice('row_checksum', 'bits', bits, [64, 128]) -%}
  {%- set typed = deltawave._typed_columns(columns, relation, 'row_checksum') -%}
  {%- set low = deltawave._row_hash(typed, lane=0) -%}
  {%- if bits == 64 -%}{{ return(low) }}{%- endif -%}
  {%- set high = deltawave._row_hash(typed, lane=1) -%}
  {{ return("lower(concat(lpad(hex(" ~ high ~ "), 16, '0'), lpad(hex(" ~ low ~ "), 16, '0')))") }}
{%- endmacro -%}
