{#- As in dbt-spark; on Iceberg's session catalog it also keeps the case of the columns' names, and their comments. -#}
{% macro deltawave__create_view_as(relation, sql) -%}
  {%- if 'iceberg' not in adapter.session_setting('spark.sql.catalog.spark_catalog') or target.method != 'session' -%}
    {{ spark__create_view_as(relation, sql) }}
  {%- else -%}
    {%- set comments = {} -%}
    {%- if config.persist_column_docs() -%}
      {%- for name, column in model.columns.items() -%}{%- do comments.update({name | lower: column.description}) -%}{%- endfor -%}
    {%- endif -%}
  create or replace view {{ relation }}
  {{ comment_clause() }}
  {%- if config.get('contract').enforced -%}
    {{ get_assert_columns_equivalent(sql) }}
  {%- endif %}
  {{ adapter.call_library('dbt.adapters.deltawave.catalog.names_clause', {'view': '(\n' ~ (sql | trim).rstrip(';') ~ '\n)'}, {'comments': comments}) }}
  as
    {{ sql }}
  {%- endif -%}
{%- endmacro %}
