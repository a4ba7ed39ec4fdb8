{# The model of that name, as `_find_node` takes it; refuses another one, as an argument of that macro. #}
{%- macro _model_node(macro_name, model_name) -%}
  {%- set node = deltawave._find_node(macro_name, model_name, ['model']) -%}
  {%- if not node -%}
    {%- do deltawave._fail('unknown_model', {'macro': macro_name, 'value': model_name}) -%}
  {%- endif -%}
  {{ return(node) }}
{%- endmacro -%}
