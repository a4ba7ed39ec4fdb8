{# Never null, whatever is null in the key; equal for keys that are equal, so it may decide where a row lies. #}
{%- macro _key_hash(alias, keys) -%}
  {%- set parts = [] -%}
  {%- for key in keys -%}
    {%- do parts.append(alias ~ '.' ~ deltawave._quoted(key)) -%}
  {%- endfor -%}
  xxhash64({{ parts | join(', ') }})
{%- endmacro -%}
