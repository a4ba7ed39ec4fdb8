{# The key's columns with their types, in the order of unique_key: from the dump, or from other columns. #}
{%- macro _key_columns(job, columns=none) -%}
  {%- set keys = [] -%}
  {%- for key in job.settings.unique_key -%}
    {%- for column in columns or job.columns if column.name | lower == key | lower -%}
      {%- do keys.append(column) -%}
    {%- endfor -%}
  {%- endfor -%}
  {{ return(keys) }}
{%- endmacro -%}

{# The log's columns, key columns first in the order of unique_key, which is also the order in a bound. #}
{%- macro _keys_first(job, batch) -%}
  {{ return(deltawave._key_columns(job, batch.columns) + batch.columns | rejectattr('is_key') | list) }}
{%- endmacro -%}

{# The key in the order of the option and the spelling of the columns. #}
{%- macro _key_as_spelt(unique_key, columns) -%}
  {%- set names = {} -%}
  {%- for column in columns -%}{%- do names.update({column.name | lower: column.name}) -%}{%- endfor -%}
  {%- set key = [] -%}
  {%- for name in unique_key -%}{%- do key.append(names[name | lower]) -%}{%- endfor -%}
  {{ return(key) }}
{%- endmacro -%}

{# Never null, even for a key with nulls; equal for equal keys, so it can decide where a row is placed. #}
{%- macro _key_hash(alias, keys) -%}
  {%- set parts = [] -%}
  {%- for key in keys -%}{%- do parts.append(alias ~ '.' ~ deltawave._quoted(key)) -%}{%- endfor -%}
  xxhash64({{ parts | join(', ') }})
{%- endmacro -%}

{# A row's key as one value, in the order of the ranges; its fields have names of their own, so none can collide. #}
{%- macro _key_struct(job) -%}
  {%- set parts = [] -%}
  {%- for key in deltawave._quoted_list(job.settings.unique_key) -%}
    {%- do parts.append("'key_" ~ loop.index ~ "', " ~ key) -%}
  {%- endfor -%}
  {{ return('named_struct(' ~ parts | join(', ') ~ ')') }}
{%- endmacro -%}
