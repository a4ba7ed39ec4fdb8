{# A name or a list of names, as a list of different names. #}
{%- macro _name_list(model_name, option, value, kind='column name') -%}
  {%- set names = [value] if value is string else value -%}
  {%- set known = [] -%}
  {%- if names is mapping or names is not iterable -%}
    {%- do deltawave._fail('option_value', {
      'model': model_name, 'option': option, 'value': value, 'allowed': 'a ' ~ kind ~ ' or a list of them',
    }) -%}
  {%- endif -%}
  {%- for column in names -%}
    {%- if column is not string or not column.strip() or column | lower in known -%}
      {%- do deltawave._fail('option_value', {
        'model': model_name, 'option': option, 'value': value, 'allowed': 'a ' ~ kind ~ ' or a list of different ' ~ kind ~ 's',
      }) -%}
    {%- endif -%}
    {%- do known.append(column | lower) -%}
  {%- endfor -%}
  {{ return(names | list) }}
{%- endmacro -%}

{%- macro _check_tolerance(model_name, tolerance) -%}
  {%- set allowed = 'a mapping of column names to the absolute difference that still counts as equal, like {price: 0.01}' -%}
  {%- if tolerance is not none and tolerance is not mapping -%}
    {%- do deltawave._fail('option_value', {'model': model_name, 'option': 'tolerance', 'value': tolerance, 'allowed': allowed}) -%}
  {%- endif -%}
  {%- for column, difference in (tolerance or {}).items() if difference is boolean or difference is not number or difference < 0 -%}
    {%- do deltawave._fail('option_value', {'model': model_name, 'option': 'tolerance', 'value': tolerance, 'allowed': allowed}) -%}
  {%- endfor -%}
{%- endmacro -%}
