{# unique_key, an argument of that macro, as a list of names, from a name or a list. #}
{%- macro _key_list(unique_key, macro_name) -%}
  {%- set keys = [unique_key] if unique_key is string and unique_key else unique_key or [] -%}
  {%- if not keys -%}
    {%- do deltawave._fail('required', {'model': macro_name, 'option': 'unique_key', 'example': '[account_id]'}) -%}
  {%- endif -%}
  {{ return(keys | list) }}
{%- endmacro -%}
