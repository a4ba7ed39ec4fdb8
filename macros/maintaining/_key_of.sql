{# The names and types of a log's key columns, in an order that does not depend on the option. #}
{%- macro _key_of(work) -%}
  {{ return(deltawave._named_types(deltawave._key_columns(work.job, work.record.columns)) | sort) }}
{%- endmacro -%}

{# Are columns of these names and types among others? Of another type, they hold other values. #}
{%- macro _has_key(key, columns) -%}
  {{ return(key | reject('in', deltawave._named_types(columns)) | list == []) }}
{%- endmacro -%}

{%- macro _named_types(columns) -%}
  {%- set texts = [] -%}
  {%- for column in columns -%}{%- do texts.append(column.name | lower ~ ' ' ~ column.data_type) -%}{%- endfor -%}
  {{ return(texts) }}
{%- endmacro -%}
