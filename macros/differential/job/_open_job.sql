{# What stays the same during the work on one model. All keys of a job are named here. #}
{%- macro _open_job(name, settings, relation, materialization='differential') -%}
  {%- set follows_log = materialization in ['current_state', 'scd2'] -%}
  {%- set strategy = deltawave._strategy_named(name, settings.strategy) if materialization == 'differential'
      else none -%}
  {%- set job = {
    'name': name,
    'materialization': materialization,
    'settings': settings,
    'strategy': strategy,
    'target': api.Relation.create(schema=relation.schema, identifier=relation.identifier, type='view').quote(schema=true, identifier=true),
    'state_schema': settings.state_schema or relation.schema,
    'batches': none,
    'quarantine': 'quarantine',
    'attempt': invocation_id.replace('-', '')[:12],
    'outcome': {'batches': 0, 'insert': 0, 'update': 0, 'delete': 0, 'backfill': 0, 'quarantined': 0, 'skipped': 0, 'is_unread': false},
    'statements': [],
    'view': '_log_view' if materialization == 'differential' else '_follower_view' if follows_log else '_wave_view',
    'placing': '_merge_patch' if follows_log else none,

    'sql': none,
    'select_columns': none,
    'columns': none,
    'remote': none,
    'source_bytes': none,
    'source_version': none,
    'snapshot_type': none,
    'time_type': none,
    'flag': {'column': none, 'sql': 'false'},
    'follows': none,
    'sources': [],
    'dated_sources': [],
    'has_adopted': false,

    'view_exists': none,
    'has_finished': false,
    'catalog': none,
    'buckets': none,
    'is_small': false,
    'is_reached': none,
    'folders': {},
  } -%}
  {%- do deltawave._update(job, batches=deltawave._helper_relation(job, 'batches')) -%}
  {{ return(job) }}
{%- endmacro -%}

{# Fills in keys of a job, a batch's result or a decision, which are named where it begins: Jinja accepts any other. #}
{%- macro _update(known) -%}
  {%- for key in kwargs if key not in known -%}
    {%- do exceptions.raise_compiler_error(
      key ~ ' is no key of a job, a result or a decision: see _open_job, _begin_batch and _decision'
    ) -%}
  {%- endfor -%}
  {%- do known.update(kwargs) -%}
{%- endmacro -%}

{# Has the user let this run pass the guards, by --vars '{deltawave_accept: [model]}'? #}
{%- macro _is_accepted(job) -%}{{ return(deltawave._is_named(job, 'deltawave_accept')) }}{%- endmacro -%}

{# Does that variable name the model? #}
{%- macro _is_named(job, variable) -%}
  {%- set named = var(variable, []) -%}
  {{ return(job.name in ([named] if named is string else named)) }}
{%- endmacro -%}

{# Does this run treat warnings of macros as errors, by --warn-error or --warn-error-options? #}
{%- macro _warnings_are_errors() -%}
  {%- set options = flags.WARN_ERROR_OPTIONS -%}
  {{ return(flags.WARN_ERROR or (options and options.includes('JinjaLogWarning'))) }}
{%- endmacro -%}

{%- macro _is_log(node) -%}
  {{ return(node.resource_type == 'model' and node.config.materialized == 'differential') }}
{%- endmacro -%}

{# The names under which options may refer to a node: name or package.name; for a source, source.table. #}
{%- macro _names_of(node) -%}
  {%- if node.resource_type == 'source' -%}{{ return([node.source_name ~ '.' ~ node.name]) }}{%- endif -%}
  {{ return([node.name, node.package_name ~ '.' ~ node.name]) }}
{%- endmacro -%}
