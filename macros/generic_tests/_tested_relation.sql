{#
  The relation that a generic test stands on. With a `where` in its config dbt hands the test a filtered subquery instead, of which
  no columns can be asked and which is no longer a whole log.
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
