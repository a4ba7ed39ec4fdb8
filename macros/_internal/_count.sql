{%- macro _count(number, one, many) -%}
  {{ return('{:,}'.format(number) ~ ' ' ~ (one if number == 1 else many)) }}
{%- endmacro -%}
