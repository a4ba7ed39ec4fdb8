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

{# What dbt knows about a node's rows without compiling it: its source, configuration and name; for a seed also its checksum. #}
{%- macro _node_code(node) -%}
  {%- set checksum = node.checksum.checksum if node.resource_type == 'seed' else none -%}
  {%- set code = [node.raw_code, node.unrendered_config, node.relation_name, checksum] -%}
  {{ return(toyaml(code, code | string, true)) }}
{%- endmacro -%}

{# The models that a model reads, directly or through others. #}
{%- macro _models_below(node) -%}
  {%- set below = node.depends_on.nodes | list -%}
  {%- set models = [] -%}
  {#- The list grows during the loop. -#}
  {%- for unique_id in below -%}
    {%- set parent = graph.nodes.get(unique_id) -%}
    {%- if parent and parent.resource_type == 'model' -%}
      {%- do models.append(parent) -%}
      {%- for grandparent in parent.depends_on.nodes if grandparent not in below -%}{%- do below.append(grandparent) -%}{%- endfor -%}
    {%- endif -%}
  {%- endfor -%}
  {{ return(models) }}
{%- endmacro -%}
