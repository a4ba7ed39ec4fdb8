{#
  What a node reads, itself or through others, as unique_ids: {logs, between, leaves, constants}. The way ends at each change log, for what
  lies behind one is that log's matter; at what is declared constant, by its name; and at leaves: sources, seeds, and models that keep
  rows which come from no other node.
#}
{%- macro _lineage(node, constants) -%}
  {%- set found = {'logs': [], 'between': [], 'leaves': [], 'constants': []} -%}
  {%- set met = node.depends_on.nodes | list -%}
  {#- Grows while it is walked. -#}
  {%- for unique_id in met -%}
    {%- set parent = graph.nodes.get(unique_id) or graph.sources.get(unique_id) -%}
    {%- set parents = (parent.depends_on or {}).get('nodes') or [] if parent else [] -%}
    {%- if not parent -%}
      {#- A function, for instance: nothing that has rows. -#}
    {%- elif deltawave._names_of(parent) | select('in', constants) | list -%}
      {%- do found.constants.append(unique_id) -%}
    {%- elif deltawave._is_log(parent) -%}
      {%- do found.logs.append(unique_id) -%}
    {%- elif not parents and parent.config.materialized not in ['view', 'ephemeral'] -%}
      {%- do found.leaves.append(unique_id) -%}
    {%- else -%}
      {%- do found.between.append(unique_id) -%}
      {%- for grandparent in parents if grandparent not in met -%}{%- do met.append(grandparent) -%}{%- endfor -%}
    {%- endif -%}
  {%- endfor -%}
  {{ return(found) }}
{%- endmacro -%}
