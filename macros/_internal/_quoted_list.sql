{# Column names, quoted, each with the alias in front if one is given: a list of SQL expressions. #}
{%- macro _quoted_list(names, alias=none) -%}
  {%- set quoted = [] -%}
  {%- for name in names -%}
    {%- do quoted.append((alias ~ '.' if alias else '') ~ deltawave._quoted(name)) -%}
  {%- endfor -%}
  {{ return(quoted) }}
{%- endmacro -%}
