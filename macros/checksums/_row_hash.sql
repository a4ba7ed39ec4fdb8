{#
  One bigint over typed columns [{name, data_type}], by xxhash64; lanes 0 and 1 have different seeds at every level, so
  that their collisions differ. The strategy row_checksum and checksums of 128 bits take both lanes; hash_compressed
  hashes in Python (deltawave.rows), a database by MD5 (_remote_row_hash).
#}
{%- macro _row_hash(columns, lane=0) -%}
  {%- set parts = {'hashed': [], 'nullable': []} -%}
  {%- for column in columns -%}
    {%- do deltawave._hash_parts(
      parts, deltawave._quoted(column.name), deltawave._parse_type(column.data_type), lane
    ) -%}
  {%- endfor -%}
  {{ return(deltawave._hash_of(parts, lane)) }}
{%- endmacro -%}

{# Adds to `parts` the values of an expression to hash, and the expressions whose being null matters. #}
{%- macro _hash_parts(parts, expression, type, lane) -%}
  {%- do parts.nullable.append(expression) -%}
  {%- if type.kind == 'struct' -%}
    {%- for field in type.fields -%}
      {%- do deltawave._hash_parts(parts, expression ~ '.' ~ deltawave._quoted(field.name), field.type, lane) -%}
    {%- endfor -%}

  {%- elif type.kind == 'array' -%}
    {%- set inner = {'hashed': [], 'nullable': []} -%}
    {%- do deltawave._hash_parts(inner, 'element', type.element, lane) -%}
    {#- array_size is null for null in every session; size(null) depends on a setting. -#}
    {%- do parts.hashed.append('array_size(' ~ expression ~ ')') -%}
    {%- do parts.hashed.append('transform(' ~ expression ~ ', element -> ' ~ deltawave._hash_of(inner, lane) ~ ')') -%}

  {%- elif type.kind == 'map' -%}
    {%- set inner = {'hashed': [], 'nullable': []} -%}
    {%- do deltawave._hash_parts(inner, 'entry.key', type.key, lane) -%}
    {%- do deltawave._hash_parts(inner, 'entry.value', type.value, lane) -%}
    {%- set entries = 'transform(map_entries(' ~ expression ~ '), entry -> ' ~ deltawave._hash_of(inner, lane) ~ ')' -%}
    {%- do parts.hashed.append('array_size(map_keys(' ~ expression ~ '))') -%}
    {%- do parts.hashed.append('sort_array(' ~ entries ~ ')') -%}

  {%- else -%}
    {%- do parts.hashed.append(deltawave._comparable_part(expression, type)) -%}
  {%- endif -%}
{%- endmacro -%}

{# Hashes the parts in a chain, together with one null bit for each nullable expression, 63 bits per number. #}
{%- macro _hash_of(parts, lane) -%}
  {%- set chain = (['1'] if lane else []) + parts.hashed -%}
  {%- for group in parts.nullable | batch(63) -%}
    {%- set bits = [] -%}
    {%- for expression in group -%}
      {%- do bits.append('if(isnull(' ~ expression ~ '), ' ~ 2 ** loop.index0 ~ 'L, 0L)') -%}
    {%- endfor -%}
    {%- do chain.append(bits | join(' | ')) -%}
  {%- endfor -%}
  {{ return('xxhash64(' ~ chain | join(', ') ~ ')') }}
{%- endmacro -%}
