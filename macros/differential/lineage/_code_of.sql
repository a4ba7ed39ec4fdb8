{# The text of a view in the catalog; none if the node is not a view there, even if it is about to become one. #}
{%- macro _view_text(job, node) -%}
  {%- if node.config.materialized == 'view' and adapter.get_relation(node.database, node.schema, node.alias) -%}
    {%- set relation = api.Relation.create(schema=node.schema, identifier=node.alias).quote(schema=true, identifier=true) -%}
    {%- for row in deltawave._run(job, 'describe extended ' ~ relation).rows if row[0] == 'View Text' -%}
      {{ return(row[1]) }}
    {%- endfor -%}
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
  {%- set told = [node.raw_code, node.unrendered_config, node.relation_name, checksum] -%}
  {{ return(toyaml(told, told | string, true)) }}
{%- endmacro -%}

{# The texts of the models that a model reads, directly or through others: an edited view brings in rows just as an edited select does. #}
{%- macro _texts_below(job, node) -%}
  {%- set texts = [] -%}
  {%- for parent in deltawave._models_below(node) -%}{%- do texts.append(deltawave._code_of(parent, deltawave._view_text(job, parent))) -%}{%- endfor -%}
  {{ return(texts | sort) }}
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
