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

{%- macro _is_log(node) -%}
  {{ return(node.resource_type == 'model' and node.config.materialized == 'differential') }}
{%- endmacro -%}

{# What options call a node: its name, or package.name; a source is source.table. #}
{%- macro _names_of(node) -%}
  {%- if node.resource_type == 'source' -%}
    {{ return([node.source_name ~ '.' ~ node.name]) }}
  {%- endif -%}
  {{ return([node.name, node.package_name ~ '.' ~ node.name]) }}
{%- endmacro -%}

{#
  Refuses what a view's changes would be missed by: a relation that the select does not read, a change log that it reads and `relations`
  leaves out, rows that come from no log. dbt's graph tells it, so the adapter asks before Spark starts.
#}
{%- macro _check_lineage(model_name, settings, node) -%}
  {%- if settings.strategy != 'view' -%}
    {{ return(none) }}
  {%- endif -%}
  {%- set constants = settings.constant_relations -%}
  {%- set lineage = deltawave._lineage(node, constants) -%}
  {%- set mapped = [] -%}
  {%- for name in settings.relations -%}
    {%- do mapped.append(deltawave._joined_node(model_name, node, lineage, name).unique_id) -%}
  {%- endfor -%}
  {%- for unique_id in lineage.logs | sort if unique_id not in mapped -%}
    {%- do deltawave._fail('relation_left_out', {'model': model_name, 'name': graph.nodes[unique_id].name}) -%}
  {%- endfor -%}
  {%- for unique_id in lineage.leaves | sort if not deltawave._is_told_by_code(unique_id) -%}
    {%- set leaf = graph.nodes.get(unique_id) or graph.sources[unique_id] -%}
    {%- do deltawave._fail('relation_without_log', {
      'model': model_name, 'kind': leaf.resource_type, 'name': deltawave._names_of(leaf)[0],
    }) -%}
  {%- endfor -%}
  {%- set declared = [] -%}
  {%- for unique_id in lineage.constants -%}
    {%- do declared.extend(deltawave._names_of(graph.nodes.get(unique_id) or graph.sources[unique_id])) -%}
  {%- endfor -%}
  {%- for name in constants if name not in declared -%}
    {%- do deltawave._fail('constant_unread', {'model': model_name, 'name': name}) -%}
  {%- endfor -%}
{%- endmacro -%}

{# Is a leaf a seed whose rows dbt knows by a checksum? Of a large one it knows the path alone. #}
{%- macro _is_told_by_code(unique_id) -%}
  {%- set leaf = graph.nodes.get(unique_id) or {} -%}
  {{ return(leaf.resource_type == 'seed' and leaf.checksum.name != 'path') }}
{%- endmacro -%}
