{# The name of the flat column that holds a column's before image. #}
{%- macro _before_name(name) -%}{{ return('before__' ~ name) }}{%- endmacro -%}

{# The flat columns of before images, which keys do not have: [{name, data_type}]. #}
{%- macro _before_columns(columns) -%}
  {%- set before = [] -%}
  {%- for column in columns if not column.is_key -%}
    {%- do before.append({'name': deltawave._before_name(column.name), 'data_type': column.data_type}) -%}
  {%- endfor -%}
  {{ return(before) }}
{%- endmacro -%}

{# The expressions for before images that do not exist or are not known; empty if the log has no before images. #}
{%- macro _null_before(columns, has_before) -%}
  {%- set nulls = [] -%}
  {%- for column in deltawave._before_columns(columns) if has_before -%}
    {%- do nulls.append('cast(null as ' ~ column.data_type ~ ') as ' ~ deltawave._quoted(column.name)) -%}
  {%- endfor -%}
  {{ return(nulls) }}
{%- endmacro -%}
