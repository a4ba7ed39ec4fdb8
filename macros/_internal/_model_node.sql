{# The model of that name, or package.name, in the project or one of its packages; of a model with versions the latest, as ref takes it. #}
{%- macro _model_node(macro_name, model_name) -%}
  {%- set nodes = [] -%}
  {%- for node in graph.nodes.values() if node.resource_type == 'model' and node.get('version') == node.get('latest_version') -%}
    {%- if model_name in [node.name, node.package_name ~ '.' ~ node.name] -%}{%- do nodes.append(node) -%}{%- endif -%}
  {%- endfor -%}
  {%- if not nodes -%}
    {%- do deltawave._fail('unknown_model', {'macro': macro_name, 'value': model_name}) -%}
  {%- elif nodes | length > 1 -%}
    {%- set models = [] -%}
    {%- for node in nodes -%}{%- do models.append(node.package_name ~ '.' ~ node.name) -%}{%- endfor -%}
    {%- do deltawave._fail('ambiguous_model', {'macro': macro_name, 'value': model_name, 'models': models | join(', ')}) -%}
  {%- endif -%}
  {{ return(nodes[0]) }}
{%- endmacro -%}
