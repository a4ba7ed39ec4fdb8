{# The model of that name in the project or one of its packages. #}
{%- macro _model_node(macro_name, model_name) -%}
  {%- set models = graph.nodes.values() | selectattr('resource_type', 'equalto', 'model') -%}
  {%- set node = models | selectattr('name', 'equalto', model_name) | first -%}
  {%- if not node -%}
    {%- do deltawave._fail('unknown_model', {'macro': macro_name, 'value': model_name}) -%}
  {%- endif -%}
  {{ return(node) }}
{%- endmacro -%}
