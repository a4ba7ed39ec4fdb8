{% materialization incremental, adapter='deltawave', supported_languages=['sql', 'python'] -%}
  {%- set file_format = dbt_spark_validate_get_file_format(config.get('file_format', default='parquet')) -%}
  {%- set strategy = dbt_spark_validate_get_incremental_strategy(config.get('incremental_strategy') or 'append', file_format) -%}
  {%- set on_schema_change = incremental_validate_on_schema_change(config.get('on_schema_change'), default='ignore') -%}
  {%- set predicates = config.get('predicates', none) or config.get('incremental_predicates', none) -%}
  {%- set grant_config = config.get('grants') -%}
  {%- set language = model['language'] -%}
  {%- set in_session = target.method == 'session' -%}
  {%- set target_relation = this.incorporate(type='table') -%}
  {%- set existing_relation = load_relation(this) -%}
  {%- set rows = this.incorporate(path={'identifier': this.identifier ~ '__dbt_tmp'}) -%}
  {%- if language == 'sql' or in_session -%}
    {%- set rows = rows.include(database=false, schema=false) -%}
  {%- endif -%}

  {%- do _prepare_session(overwrites_partitions=strategy in ['insert_overwrite', 'microbatch'] and config.get('partition_by', none)) -%}

  {{ run_hooks(pre_hooks) }}

  {%- if existing_relation is none or existing_relation.is_view or should_full_refresh() -%}
    {%- if existing_relation is not none and not _is_replaceable(existing_relation, file_format) -%}
      {%- do adapter.drop_relation(existing_relation) -%}
    {%- endif -%}
    {%- call statement('main', language=language) -%}
      {{ create_table_as(False, target_relation, compiled_code, language) }}
    {%- endcall -%}
    {%- do persist_constraints(target_relation, model) -%}
  {%- else -%}
    {%- call statement('new_rows', language=language) -%}
      {{ create_table_as(True, rows, compiled_code, language) }}
    {%- endcall -%}
    {%- do process_schema_changes(on_schema_change, rows, existing_relation) -%}
    {%- call statement('main') -%}
      {{ dbt_spark_get_incremental_sql(strategy, rows, target_relation, existing_relation, config.get('unique_key', none), predicates) }}
    {%- endcall -%}
    {%- if language == 'python' and not in_session -%}
      {%- call statement('drop_new_rows') -%}
        drop table if exists {{ rows }}
      {%- endcall -%}
    {%- endif -%}
  {%- endif -%}

  {%- do apply_grants(target_relation, grant_config, should_revoke(existing_relation, should_full_refresh())) -%}
  {%- do persist_docs(target_relation, model) -%}

  {{ run_hooks(post_hooks) }}

  {{ return({'relations': [target_relation]}) }}
{%- endmaterialization %}

{#- The session is shared by all threads: the temporary view of the new rows and the overwrite mode go into a copy of it,
    or a static overwrite in another thread would turn dynamic. -#}
{% macro _prepare_session(overwrites_partitions) -%}
  {%- set mode = 'spark.sql.sources.partitionOverwriteMode' -%}
  {%- if target.method == 'session' -%}
    {%- do adapter.isolate_session({mode: 'DYNAMIC'} if overwrites_partitions else {}) -%}
  {%- elif overwrites_partitions -%}
    {%- call statement() -%}
      set {{ mode }} = DYNAMIC
    {%- endcall -%}
  {%- endif -%}
{%- endmacro %}

{#- Delta and Iceberg tables are replaced in place, so that readers never miss them. -#}
{% macro _is_replaceable(relation, file_format) -%}
  {{ return((relation.is_delta and file_format == 'delta') or (relation.is_iceberg and file_format == 'iceberg')) }}
{%- endmacro %}
