{# A row's key as one value, in the order of the ranges. Its fields have names of their own, so no column name can collide there. #}
{%- macro _key_struct(job) -%}
  {%- set parts = [] -%}
  {%- for key in deltawave._quoted_list(job.settings.unique_key) -%}{%- do parts.append("'key_" ~ loop.index ~ "', " ~ key) -%}{%- endfor -%}
  {{ return('named_struct(' ~ parts | join(', ') ~ ')') }}
{%- endmacro -%}
