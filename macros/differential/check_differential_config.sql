{# Refuses a wrong configuration; the adapter calls it for every model before any statement runs. #}
{%- macro check_differential_config(name, config) -%}
  {%- set settings = deltawave._differential_settings(name, config) -%}
  {%- if settings.remote -%}{%- do deltawave._require_remote(name, settings.remote) -%}{%- endif -%}
  {%- if deltawave._strategy_named(name, settings.strategy).reads == 'logs' -%}
    {%- for node in graph.nodes.values() if node.name == name and deltawave._is_log(node) -%}
      {%- do deltawave._check_lineage(name, deltawave._differential_settings(name, node.config), node) -%}
    {%- endfor -%}
  {%- endif -%}
{%- endmacro -%}
