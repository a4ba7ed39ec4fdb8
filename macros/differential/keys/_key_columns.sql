{# The key's columns in the order of unique_key: [{name, data_type}]. #}
{%- macro _key_columns(job) -%}
  {%- set columns = [] -%}
  {%- for key in job.settings.unique_key -%}
    {%- for column in job.columns if column.name | lower == key | lower -%}{%- do columns.append(column) -%}{%- endfor -%}
  {%- endfor -%}
  {{ return(columns) }}
{%- endmacro -%}

{# The log's columns, the key's in the order of unique_key, as bounds are. #}
{%- macro _keys_first(job, batch) -%}
  {%- set columns = [] -%}
  {%- for key in job.settings.unique_key -%}
    {%- for column in batch.columns if column.name | lower == key | lower -%}{%- do columns.append(column) -%}{%- endfor -%}
  {%- endfor -%}
  {{ return(columns + batch.columns | rejectattr('is_key') | list) }}
{%- endmacro -%}
