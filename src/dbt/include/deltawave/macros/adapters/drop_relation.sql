{#- Iceberg's session catalog keeps the files of a dropped table, Parquet tables included, unless told to purge them. -#}
{% macro deltawave__drop_relation(relation) -%}
  {%- set purge = relation.type == 'table' and 'iceberg' in adapter.session_setting('spark.sql.catalog.spark_catalog') -%}
  {%- call statement('drop_relation', auto_begin=False) -%}
    drop {{ relation.type }} if exists {{ relation }}{{ ' purge' if purge }}
  {%- endcall -%}
{%- endmacro %}
