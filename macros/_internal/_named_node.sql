{# The model, seed, snapshot or source of that name, as `_find_node` takes it; refuses another one, as an argument of that macro. #}
{%- macro _named_node(macro_name, name) -%}
  {%- set node = deltawave._find_node(macro_name, name) -%}
  {%- if not node -%}
    {%- do deltawave._fail('unknown_table', {'macro': macro_name, 'value': name}) -%}
  {%- endif -%}
  {{ return(node) }}
{%- endmacro -%}
