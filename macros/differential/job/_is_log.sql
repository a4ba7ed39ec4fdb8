{%- macro _is_log(node) -%}
  {{ return(node.resource_type == 'model' and node.config.materialized == 'differential') }}
{%- endmacro -%}

{# The names under which options may refer to a node: name or package.name; for a source, source.table. #}
{%- macro _names_of(node) -%}
  {%- if node.resource_type == 'source' -%}
    {{ return([node.source_name ~ '.' ~ node.name]) }}
  {%- endif -%}
  {{ return([node.name, node.package_name ~ '.' ~ node.name]) }}
{%- endmacro -%}
