{# The condition that two aliases stand for the same key; a null key is equal to a null key. #}
{%- macro _same_key(keys, left, right) -%}
  {%- set conditions = [] -%}
  {%- for key in keys -%}
    {%- do conditions.append(left ~ '.' ~ deltawave._quoted(key) ~ ' <=> ' ~ right ~ '.' ~ deltawave._quoted(key)) -%}
  {%- endfor -%}
  {{ return(conditions | join(' and ')) }}
{%- endmacro -%}
