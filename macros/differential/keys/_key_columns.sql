{# The key's columns with their types, in the order of unique_key: from the dump, or from other columns. #}
{%- macro _key_columns(job, columns=none) -%}
  {%- set keys = [] -%}
  {%- for key in job.settings.unique_key -%}
    {%- for column in columns or job.columns if column.name | lower == key | lower -%}{%- do keys.append(column) -%}{%- endfor -%}
  {%- endfor -%}
  {{ return(keys) }}
{%- endmacro -%}

{# The log's columns, key columns first in the order of unique_key, which is also the order in a bound. #}
{%- macro _keys_first(job, batch) -%}
  {{ return(deltawave._key_columns(job, batch.columns) + batch.columns | rejectattr('is_key') | list) }}
{%- endmacro -%}
