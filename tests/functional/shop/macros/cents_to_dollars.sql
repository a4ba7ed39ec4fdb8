{% macro cents_to_dollars(column_name) -%}
    {{ return(adapter.dispatch('cents_to_dollars', 'money')(column_name)) }}
{%- endmacro %}

{% macro spark__cents_to_dollars(column_name) -%}
    cast({{ column_name }} / 100 as decimal(16, 2))
{%- endmacro %}
