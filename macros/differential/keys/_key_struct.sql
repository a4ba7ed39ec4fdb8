{# A row's key, as one value in the order of the ranges: whatever its columns are called, they meet no other names there. #}
{%- macro _key_struct(job) -%}
  {%- set parts = [] -%}
  {%- for key in deltawave._quoted_list(job.settings.unique_key) -%}{%- do parts.append("'key_" ~ loop.index ~ "', " ~ key) -%}{%- endfor -%}
  {{ return('named_struct(' ~ parts | join(', ') ~ ')') }}
{%- endmacro -%}
