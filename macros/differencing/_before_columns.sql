{# The name of the flat column that holds what a column was before. #}
{%- macro _before_name(name) -%}{{ return('before__' ~ name) }}{%- endmacro -%}

{# The flat columns of what a row was before, which a key never was: [{name, data_type}]. #}
{%- macro _before_columns(columns) -%}
  {%- set before = [] -%}
  {%- for column in columns if not column.is_key -%}
    {%- do before.append({'name': deltawave._before_name(column.name), 'data_type': column.data_type}) -%}
  {%- endfor -%}
  {{ return(before) }}
{%- endmacro -%}

{# The expressions of before images of rows that were not there before, or of which the log cannot tell; none where no images are kept. #}
{%- macro _null_before(columns, has_before) -%}
  {%- set nulls = [] -%}
  {%- for column in deltawave._before_columns(columns) if has_before -%}
    {%- do nulls.append('cast(null as ' ~ column.data_type ~ ') as ' ~ deltawave._quoted(column.name)) -%}
  {%- endfor -%}
  {{ return(nulls) }}
{%- endmacro -%}
