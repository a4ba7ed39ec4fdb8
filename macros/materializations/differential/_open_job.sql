{# What stays the same while one differential model is worked on: names, settings, the attempt's id. #}
{%- macro _open_job(name, settings, relation) -%}
  {%- set job = {
    'name': name,
    'settings': settings,
    'target': api.Relation.create(schema=relation.schema, identifier=relation.identifier, type='view').quote(schema=true, identifier=true),
    'state_schema': settings.state_schema or relation.schema,
    'attempt': invocation_id.replace('-', '')[:12],
    'outcome': {'batches': 0, 'insert': 0, 'update': 0, 'delete': 0, 'backfill': 0},
    'statements': [],
  } -%}
  {%- do job.update(batches=deltawave._helper_relation(job, 'batches')) -%}
  {{ return(job) }}
{%- endmacro -%}

{# The dump that a run compares: the model's select and its columns. #}
{%- macro _open_dump(job, sql) -%}
  {%- if invocation_args_dict.get('sample') -%}
    {%- do deltawave._fail('sample', {'model': job.name}) -%}
  {%- endif -%}
  {%- do deltawave._check_lineage(job.name, job.settings, model) -%}
  {%- do deltawave._require_table_formats(job) -%}
  {%- if job.state_schema != job.target.schema -%}
    {%- do deltawave._run(job, 'create schema if not exists ' ~ deltawave._quoted(job.state_schema)) -%}
  {%- endif -%}
  {%- do job.update(sql=sql) -%}
  {%- if job.settings.remote -%}
    {%- do deltawave._open_remote(job) -%}
  {%- endif -%}
  {%- do job.update(columns=deltawave._dump_columns(job)) -%}
  {%- do deltawave._check_names(job) -%}
  {%- do deltawave._check_range_key(job) -%}
{%- endmacro -%}

{# A relation that belongs to the model: x__log, x__batches, x__copy_<batch>_<attempt>, x__commit_<batch>, and so on. #}
{%- macro _helper_relation(job, suffix) -%}
  {%- set relation = api.Relation.create(schema=job.state_schema, identifier=job.target.identifier ~ '__' ~ suffix) -%}
  {{ return(relation.quote(schema=true, identifier=true)) }}
{%- endmacro -%}

{#
  The name of a log, after x__. Each generation has one of its own, for a full refresh may bring other columns and types; so has
  each attempt to write the log anew, for what readers see is never changed in place.
#}
{%- macro _generation_log(generation) -%}
  {{ return('log' if generation == 1 else 'log_' ~ generation) }}
{%- endmacro -%}

{%- macro _rewritten_log(batch_id, attempt) -%}
  {{ return('log_' ~ batch_id ~ '_' ~ attempt) }}
{%- endmacro -%}

{#
  A table of one attempt: {kind, batch_id, attempt}. Kind copy is the dump as it landed; held is what was accepted of a dump of which
  rows were set aside; log is the log, written anew.
#}
{%- macro _attempt_relation(job, table) -%}
  {{ return(deltawave._helper_relation(job, table.kind ~ '_' ~ table.batch_id ~ '_' ~ table.attempt)) }}
{%- endmacro -%}

{%- macro _commit_relation(job, batch_id) -%}
  {{ return(deltawave._helper_relation(job, 'commit_' ~ batch_id)) }}
{%- endmacro -%}

{# Runs one statement and returns its rows (agate); the text is kept for target/run. #}
{%- macro _run(job, sql) -%}
  {%- do job.statements.append(sql.strip()) -%}
  {{ return(run_query(sql)) }}
{%- endmacro -%}
