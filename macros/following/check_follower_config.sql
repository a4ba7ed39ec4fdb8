{# Refuses a wrong configuration; the adapter calls it for every model before any statement runs. #}
{%- macro check_follower_config(name, config) -%}
  {%- set settings = deltawave._follower_settings(name, config) -%}
  {%- for node in graph.nodes.values() if node.name == name and node.config.materialized == config.materialized -%}
    {%- do deltawave._followed_node(node, settings) -%}
  {%- endfor -%}
{%- endmacro -%}
