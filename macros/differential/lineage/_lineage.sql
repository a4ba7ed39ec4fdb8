{#
  What a node reads, directly or through others, as unique_ids: {logs, between, leaves, constants}. A path ends at a
  change log, which itself tracks what is behind it; at a relation that is declared constant; and at a leaf: a source,
  a seed, or a model that stores rows from no other node.
#}
{%- macro _lineage(node, constants, found=none) -%}
  {%- set found = found or {'logs': [], 'between': [], 'leaves': [], 'constants': []} -%}
  {%- for id in node.depends_on.nodes -%}
    {%- set parent = graph.nodes.get(id) or graph.sources.get(id) -%}
    {#- What has no node, a function for instance, has no rows. -#}
    {%- if parent and id not in found.logs + found.between + found.leaves + found.constants -%}
      {%- set is_stored = parent.config.materialized not in ['view', 'ephemeral'] -%}
      {%- if deltawave._names_of(parent) | select('in', constants) | list -%}
        {%- do found.constants.append(id) -%}
      {%- elif deltawave._is_log(parent) -%}
        {%- do found.logs.append(id) -%}
      {%- elif is_stored and not (parent.depends_on or {}).get('nodes') -%}
        {%- do found.leaves.append(id) -%}
      {%- else -%}
        {%- do found.between.append(id) -%}
        {%- do deltawave._lineage(parent, constants, found) -%}
      {%- endif -%}
    {%- endif -%}
  {%- endfor -%}
  {{ return(found) }}
{%- endmacro -%}

{# The text of a view in the catalog; none if the node is not a view there, even if it is about to become one. #}
{%- macro _view_text(job, node) -%}
  {%- if node.config.materialized == 'view' and adapter.get_relation(node.database, node.schema, node.alias) -%}
    {{ return(deltawave._facts_of(job, deltawave._relation(node.schema, node.alias)).get('View Text')) }}
  {%- endif -%}
  {{ return(none) }}
{%- endmacro -%}

{# A hash of the code that determines a node's rows: a view's text if it exists, otherwise the node's own source. #}
{%- macro _code_of(node, view_text) -%}
  {{ return(local_md5(deltawave._node_code(node) if view_text is none else view_text)) }}
{%- endmacro -%}

{# What dbt knows about a node's rows without compiling it: source, configuration and name; of a seed its checksum. #}
{%- macro _node_code(node) -%}
  {%- set checksum = node.checksum.checksum if node.resource_type == 'seed' else none -%}
  {%- set code = [node.raw_code, node.unrendered_config, node.relation_name, checksum] -%}
  {{ return(toyaml(code, code | string, true)) }}
{%- endmacro -%}

{# The models that a model reads, directly or through others. found: those that were found before, by their ids. #}
{%- macro _models_below(node, found=none) -%}
  {%- set found = {} if found is none else found -%}
  {%- for id in node.depends_on.nodes -%}
    {%- set parent = graph.nodes.get(id) -%}
    {%- if parent and parent.resource_type == 'model' and id not in found -%}
      {%- do found.update({id: parent}) -%}
      {%- do deltawave._models_below(parent, found) -%}
    {%- endif -%}
  {%- endfor -%}
  {{ return(found.values() | list) }}
{%- endmacro -%}
