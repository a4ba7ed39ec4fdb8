{#
  The relation that a generic test is on. With a `where` in its config dbt passes a filtered subquery instead, whose columns cannot be queried and
  which is no longer a whole log.
#}
{%- macro _tested_relation(tested) -%}
  {%- if tested is not string -%}
    {{ return(tested) }}
  {%- endif -%}
  {%- set node = graph.nodes.get(model.attached_node) -%}
  {%- if not node -%}
    {%- do deltawave._fail('filtered_source', {'macro': model.name, 'relation': tested}) -%}
  {%- endif -%}
  {{ return(ref(node.package_name, node.name, v=node.version)) }}
{%- endmacro -%}
