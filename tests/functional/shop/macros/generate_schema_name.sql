{# Seeds are in the schema that is configured for them, in every environment; all other things in the target's. #}
{% macro generate_schema_name(custom_schema_name, node) -%}
    {%- if custom_schema_name is none or node.resource_type != 'seed' -%}
        {{ target.schema }}
    {%- else -%}
        {{ target.schema }}_{{ custom_schema_name | trim }}
    {%- endif -%}
{%- endmacro %}
