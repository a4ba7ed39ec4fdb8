{#- As in dbt, except that agate reads the file, at some microseconds a cell, for --show alone. -#}
{% materialization seed, adapter='deltawave' -%}
  {%- set old_relation = adapter.get_relation(database=database, schema=schema, identifier=model['alias']) -%}
  {%- set seed = adapter.read_seed(model, load_agate_table) -%}
  {%- do store_result('agate_table', response='OK', agate_table=seed if invocation_args_dict.show else none) -%}

  {{ run_hooks(pre_hooks, inside_transaction=False) }}
  {{ run_hooks(pre_hooks, inside_transaction=True) }}

  {%- if old_relation is none -%}
    {%- set create_sql = create_csv_table(model, seed) -%}
  {%- elif old_relation.is_view -%}
    {%- do exceptions.raise_compiler_error("Cannot seed to '" ~ old_relation.render() ~ "', it is a view") -%}
  {%- else -%}
    {%- set create_sql = reset_csv_table(model, should_full_refresh(), old_relation, seed) -%}
  {%- endif -%}
  {%- set load_sql = load_csv_rows(model, seed) if seed.row_count else '' -%}

  {%- set code = 'CREATE' if should_full_refresh() else 'INSERT' -%}
  {%- call noop_statement('main', code ~ ' ' ~ seed.row_count, code, seed.row_count) -%}
    {{ get_csv_sql(create_sql, load_sql) }};
  {%- endcall -%}

  {%- set target_relation = this.incorporate(type='table') -%}
  {%- do apply_grants(target_relation, config.get('grants'), should_revoke(old_relation, should_full_refresh())) -%}
  {%- do persist_docs(target_relation, model) -%}

  {{ run_hooks(post_hooks, inside_transaction=True) }}
  {{ adapter.commit() }}
  {{ run_hooks(post_hooks, inside_transaction=False) }}

  {{ return({'relations': [target_relation]}) }}
{%- endmaterialization %}

{#- One statement writes all rows; stock dbt-spark's have a cast for each cell. Rows that are sent to tasks as they are,
    instead of being a part of the plan, are cast by compiled code, on all cores. -#}
{% macro deltawave__load_csv_rows(model, agate_table) -%}
  {%- if target.method != 'session' -%}
    {{ return(spark__load_csv_rows(model, agate_table)) }}
  {%- endif -%}
  {%- set declared = model['config'].get('column_types', {}) -%}
  {%- set view = this.identifier ~ '__dbt_seed' -%}
  {%- set sql -%}
    insert into {{ this.render() }} ({{ get_seed_column_quoted_csv(model, agate_table.column_names) }})
    select
    {%- for name in agate_table.column_names %}
      cast({{ adapter.quote(name) }} as {{ declared.get(name, adapter.convert_type(agate_table, loop.index0)) }})
      {%- if not loop.last %},{% endif %}
    {%- endfor %}
    from {{ adapter.quote(view) }}
  {%- endset -%}
  {#- A task, and a file, for this many rows. -#}
  {%- set settings = {
    'spark.sql.execution.arrow.localRelationThreshold': 0, 'spark.sql.execution.arrow.maxRecordsPerBatch': 50000,
  } -%}
  {%- do adapter.isolate_session(this, settings) -%}
  {%- do adapter.view_of_seed(agate_table, view) -%}
  {%- do adapter.add_query(sql) -%}
  {%- do adapter.rejoin_session() -%}
  {{ return(sql) }}
{%- endmacro %}
