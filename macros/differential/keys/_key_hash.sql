{# Never null, even for a key with nulls; equal for equal keys, so it can decide where a row is placed. #}
{%- macro _key_hash(alias, keys) -%}
  {%- set parts = [] -%}
  {%- for key in keys -%}
    {%- do parts.append(alias ~ '.' ~ deltawave._quoted(key)) -%}
  {%- endfor -%}
  xxhash64({{ parts | join(', ') }})
{%- endmacro -%}
