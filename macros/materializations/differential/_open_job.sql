{# What stays the same during one run of one differential model: names, settings, the attempt's id, what the catalog can do. #}
{%- macro _open_job(settings) -%}
  {%- set state_schema = settings.state_schema or this.schema -%}
  {%- set job = {
    'name': model.name,
    'settings': settings,
    'target': this.incorporate(type='view').quote(schema=true, identifier=true),
    'state_schema': state_schema,
    'attempt': invocation_id.replace('-', '')[:12],
    'sql': model.compiled_code or sql,
    'outcome': {'batches': 0, 'insert': 0, 'update': 0, 'delete': 0},
    'statements': [],
  } -%}
  {%- do job.update(batches=deltawave._helper_relation(job, 'batches')) -%}
  {%- do deltawave._refuse_sample(job) -%}
  {%- do deltawave._require_table_formats(job) -%}
  {%- if state_schema != this.schema -%}
    {%- do deltawave._run(job, 'create schema if not exists ' ~ deltawave._quoted(state_schema)) -%}
  {%- endif -%}
  {%- do job.update(columns=deltawave._dump_columns(job)) -%}
  {{ return(job) }}
{%- endmacro -%}

{# A relation that belongs to the model: x__log, x__batches, x__copy_<batch>_<attempt>, x__commit_<batch>. #}
{%- macro _helper_relation(job, suffix) -%}
  {%- set relation = api.Relation.create(schema=job.state_schema, identifier=this.identifier ~ '__' ~ suffix) -%}
  {{ return(relation.quote(schema=true, identifier=true)) }}
{%- endmacro -%}

{# Each generation has a log of its own: a full refresh may bring other columns and types, and the older log stays as it is. #}
{%- macro _log_relation(job, generation) -%}
  {{ return(deltawave._helper_relation(job, 'log' if generation == 1 else 'log_' ~ generation)) }}
{%- endmacro -%}

{%- macro _copy_relation(job, batch_id, attempt) -%}
  {{ return(deltawave._helper_relation(job, 'copy_' ~ batch_id ~ '_' ~ attempt)) }}
{%- endmacro -%}

{%- macro _commit_relation(job, batch_id) -%}
  {{ return(deltawave._helper_relation(job, 'commit_' ~ batch_id)) }}
{%- endmacro -%}

{# Runs one statement and returns its rows (agate); the text is kept for target/run. #}
{%- macro _run(job, sql) -%}
  {%- do job.statements.append(sql.strip()) -%}
  {{ return(run_query(sql)) }}
{%- endmacro -%}

{%- macro _refuse_sample(job) -%}
  {%- if invocation_args_dict.get('sample') -%}
    {%- do deltawave._fail('sample', {'model': job.name}) -%}
  {%- endif -%}
{%- endmacro -%}
