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
