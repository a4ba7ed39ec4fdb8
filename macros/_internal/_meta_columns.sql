{# The columns that a dbt snapshot adds to those of a row, and the columns that a table of versions stores instead. #}
{%- macro _meta_columns() -%}
  {{ return({
    'dbt_scd_id': '_scd_id', 'dbt_updated_at': '_updated_at', 'dbt_valid_from': '_valid_from',
    'dbt_valid_to': '_valid_to', 'dbt_is_deleted': '_is_deleted',
  }) }}
{%- endmacro -%}
