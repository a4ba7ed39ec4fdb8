{#
  The nodes of these types that read a node, directly or through others. A model of a materialization that `ends` names
  is left out, with what is read of it alone. found: those that were found before, by their ids.
#}
{%- macro _nodes_after(unique_id, types=['model'], ends=[], found=none) -%}
  {%- set found = {} if found is none else found -%}
  {%- for node in graph.nodes.values() if node.resource_type in types and unique_id in node.depends_on.nodes -%}
    {%- if node.unique_id not in found and node.config.materialized not in ends -%}
      {%- do found.update({node.unique_id: node}) -%}
      {%- do deltawave._nodes_after(node.unique_id, types, ends, found) -%}
    {%- endif -%}
  {%- endfor -%}
  {{ return(found.values() | list) }}
{%- endmacro -%}
