{% materialization table, adapter='deltawave', supported_languages=['sql', 'python'] -%}
  {%- set file_format = config.get('file_format', default='parquet') -%}
  {%- set target_relation = this.incorporate(type='table') -%}
  {%- set existing_relation = load_relation(this) -%}

  {{ run_hooks(pre_hooks) }}

  {%- if existing_relation is not none and not _is_replaceable(existing_relation, file_format) -%}
    {%- do adapter.drop_relation(existing_relation) -%}
  {%- endif -%}
  {%- do _begin_writing(target_relation) -%}
  {%- call statement('main', language=model['language']) -%}
    {{ create_table_as(False, target_relation, compiled_code, model['language']) }}
  {%- endcall -%}
  {%- do _end_writing() -%}

  {%- set revokes = should_revoke(existing_relation, full_refresh_mode=True) -%}
  {%- do apply_grants(target_relation, config.get('grants'), revokes) -%}
  {%- do persist_docs(target_relation, model) -%}
  {%- do persist_constraints(target_relation, model) -%}

  {{ run_hooks(post_hooks) }}

  {{ return({'relations': [target_relation]}) }}
{%- endmaterialization %}

{#- Delta and Iceberg tables are replaced in place, so that readers never miss them. -#}
{% macro _is_replaceable(relation, file_format) -%}
  {{ return((relation.is_delta and file_format == 'delta') or (relation.is_iceberg and file_format == 'iceberg')) }}
{%- endmacro %}
