{# The key in the order of the option and the spelling of the columns. #}
{%- macro _key_as_spelt(unique_key, columns) -%}
  {%- set names = {} -%}
  {%- for column in columns -%}{%- do names.update({column.name | lower: column.name}) -%}{%- endfor -%}
  {%- set key = [] -%}
  {%- for name in unique_key -%}{%- do key.append(names[name | lower]) -%}{%- endfor -%}
  {{ return(key) }}
{%- endmacro -%}
