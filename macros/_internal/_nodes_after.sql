{#
  The nodes of these types that read a node, directly or through others. A model of a materialization that `ends` names
  is left out, with what is read of it alone.
#}
{%- macro _nodes_after(unique_id, types=['model'], ends=[]) -%}
  {%- set reached, found = [unique_id], [] -%}
  {#- Layer by layer: dbt 2 does not follow a list that grows during a loop. -#}
  {%- set layer = namespace(ids=[unique_id]) -%}
  {%- for _ in range(graph.nodes | length + 1) -%}
    {%- set next = [] -%}
    {%- for id in layer.ids -%}
      {%- for node in graph.nodes.values() if node.resource_type in types and id in node.depends_on.nodes -%}
        {%- if node.unique_id not in reached and node.config.materialized not in ends -%}
          {%- do reached.append(node.unique_id) -%}
          {%- do next.append(node.unique_id) -%}
          {%- do found.append(node) -%}
        {%- endif -%}
      {%- endfor -%}
    {%- endfor -%}
    {%- set layer.ids = next -%}
  {%- endfor -%}
  {{ return(found) }}
{%- endmacro -%}
