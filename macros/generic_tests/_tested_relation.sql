{#
  The relation that a generic test is on. With a `where` in its config dbt passes a filtered subquery instead, whose
  columns cannot be queried and which is no longer a whole log.
#}
{%- macro _tested_relation(tested) -%}
  {%- if tested is not string -%}{{ return(tested) }}{%- endif -%}
  {%- set node = graph.nodes.get(model.attached_node) -%}
  {%- if not node -%}
    {%- do deltawave._fail('filtered_source', {'macro': model.name, 'relation': tested}) -%}
  {%- endif -%}
  {{ return(ref(node.package_name, node.name, v=node.version)) }}
{%- endmacro -%}

{#
  The settings of the differential model that a generic test is on; none for another relation. `model` is the test's
  node, which an argument of that name hides in the test itself.
#}
{%- macro _tested_settings() -%}
  {%- set node = graph.nodes.get(model.attached_node) if graph is defined and model is defined -%}
  {%- if node and node.config.get('materialized') == 'differential' -%}
    {{ return(deltawave._differential_settings(node.name, node.config)) }}
  {%- endif -%}
{%- endmacro -%}
