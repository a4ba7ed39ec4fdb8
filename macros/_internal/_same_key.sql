{# The condition that two aliases have the same key; a null key equals a null key. #}
{%- macro _same_key(keys, left, right) -%}
  {{ return(deltawave._equal_parts(keys, left, right) | join(' and ')) }}
{%- endmacro -%}

{# The same, as one condition per column. #}
{%- macro _equal_parts(keys, left, right) -%}
  {%- set conditions = [] -%}
  {%- for key in deltawave._quoted_list(keys) -%}{%- do conditions.append(left ~ '.' ~ key ~ ' <=> ' ~ right ~ '.' ~ key) -%}{%- endfor -%}
  {{ return(conditions) }}
{%- endmacro -%}
