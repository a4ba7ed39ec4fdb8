{#
  What a node reads, directly or through others, as unique_ids: {logs, between, leaves, constants}. A path ends at a change log, which itself
  tracks what is behind it; at a relation that is declared constant; and at a leaf: a source, a seed, or a model that stores rows from no other
  node.
#}
{%- macro _lineage(node, constants) -%}
  {%- set found = {'logs': [], 'between': [], 'leaves': [], 'constants': []} -%}
  {%- set reached = node.depends_on.nodes | list -%}
  {#- The list grows during the loop. -#}
  {%- for unique_id in reached -%}
    {%- set parent = graph.nodes.get(unique_id) or graph.sources.get(unique_id) -%}
    {%- set parents = (parent.depends_on or {}).get('nodes') or [] if parent else [] -%}
    {%- if not parent -%}
      {#- For instance a function: nothing with rows. -#}
    {%- elif deltawave._names_of(parent) | select('in', constants) | list -%}
      {%- do found.constants.append(unique_id) -%}
    {%- elif deltawave._is_log(parent) -%}
      {%- do found.logs.append(unique_id) -%}
    {%- elif not parents and parent.config.materialized not in ['view', 'ephemeral'] -%}
      {%- do found.leaves.append(unique_id) -%}
    {%- else -%}
      {%- do found.between.append(unique_id) -%}
      {%- for grandparent in parents if grandparent not in reached -%}{%- do reached.append(grandparent) -%}{%- endfor -%}
    {%- endif -%}
  {%- endfor -%}
  {{ return(found) }}
{%- endmacro -%}
