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
