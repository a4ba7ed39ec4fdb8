{% materialization incremental, adapter='deltawave', supported_languages=['sql', 'python'] -%}
  {%- set file_format = dbt_spark_validate_get_file_format(config.get('file_format', default='parquet')) -%}
  {%- set configured_strategy = config.get('incremental_strategy') or 'append' -%}
  {%- set strategy = dbt_spark_validate_get_incremental_strategy(configured_strategy, file_format) -%}
  {%- set on_schema_change = incremental_validate_on_schema_change(config.get('on_schema_change'), default='ignore') -%}
  {%- set predicates = config.get('predicates', none) or config.get('incremental_predicates', none) -%}
  {%- set unique_key = config.get('unique_key', none) -%}
  {%- set language = model['language'] -%}
  {%- set target_relation = this.incorporate(type='table') -%}
  {%- set existing_relation = load_relation(this) -%}
  {%- set overwrites = strategy in ['insert_overwrite', 'microbatch'] -%}

  {{ run_hooks(pre_hooks) }}

  {%- if existing_relation is none or existing_relation.is_view or should_full_refresh() -%}
    {%- if existing_relation is not none and not _is_replaceable(existing_relation, file_format) -%}
      {%- do adapter.drop_relation(existing_relation) -%}
    {%- endif -%}
    {%- do _begin_writing(target_relation) -%}
    {%- call statement('main', language=language) -%}
      {{ create_table_as(False, target_relation, compiled_code, language) }}
    {%- endcall -%}
    {%- do _end_writing() -%}
    {%- do persist_constraints(target_relation, model) -%}
  {%- else -%}
    {%- set new_rows = _new_rows_relation(strategy, file_format) -%}
    {%- if new_rows.type == 'table' -%}
      {%- do adapter.drop_relation(new_rows) -%}
    {%- endif -%}
    {%- do _begin_writing(target_relation, overwrites and config.get('partition_by', none)) -%}
    {%- call statement('new_rows', language=language) -%}
      {{ create_table_as(new_rows.type != 'table', new_rows, compiled_code, language) }}
    {%- endcall -%}
    {%- do process_schema_changes(on_schema_change, new_rows, existing_relation) -%}
    {%- call statement('main') -%}
      {{ dbt_spark_get_incremental_sql(
          strategy, new_rows, target_relation, existing_relation, unique_key, predicates
      ) }}
    {%- endcall -%}
    {%- if language == 'python' -%}
      {%- do adapter.call_library('deltawave.model_runs.results_appended', {}, {}) -%}
    {%- endif -%}
    {%- do _end_writing() -%}
    {%- if new_rows.type == 'table' -%}
      {%- do adapter.drop_relation(new_rows) -%}
    {%- endif -%}
  {%- endif -%}

  {%- set revokes = should_revoke(existing_relation, should_full_refresh()) -%}
  {%- do apply_grants(target_relation, config.get('grants'), revokes) -%}
  {%- do persist_docs(target_relation, model) -%}

  {{ run_hooks(post_hooks) }}

  {{ return({'relations': [target_relation]}) }}
{%- endmaterialization %}

{#- A temporary view where possible. A Python model outside the session cannot share one, and Spark 4.1 cannot plan a
    merge into Iceberg from a view that a DataFrame made ("No plan for TableReference"). -#}
{% macro _new_rows_relation(strategy, file_format) -%}
  {%- set rows = this.incorporate(path={'identifier': this.identifier ~ '__dbt_tmp'}, type='table') -%}
  {%- set shares_views = target.method == 'session' and (strategy != 'merge' or file_format == 'delta') -%}
  {%- if model['language'] == 'sql' or shares_views -%}
    {%- set rows = rows.incorporate(type='view').include(database=false, schema=false) -%}
  {%- endif -%}
  {{ return(rows) }}
{%- endmacro %}
