{# Refuses a state from which this version or this configuration cannot continue, before anything is written. #}
{%- macro _check_state(job, names, record, view) -%}
  {%- set tables = names | map('lower') | list -%}
  {%- if record -%}{%- do deltawave._check_version(job.name, record) -%}{%- endif -%}
  {%- if record is none -%}
    {%- if job.batches.identifier | lower in tables
        and deltawave._run(job, 'select count(*) from ' ~ job.batches).rows[0][0] | int > 0 -%}
      {%- do deltawave._fail('lost_state', {'model': job.name, 'batches': job.batches | string}) -%}
    {%- elif view and view.batch_id -%}
      {%- do deltawave._fail('lost_helpers', {
        'model': job.name, 'relation': job.target | string, 'batch': view.batch_id, 'schema': job.state_schema,
      }) -%}
    {%- endif -%}
  {%- elif record.target.schema | lower != job.target.schema | lower and deltawave._is_of_another(job, record) -%}
    {%- do deltawave._fail('shared_state', {
      'model': job.name, 'schema': job.state_schema, 'identifier': job.target.identifier,
      'relation': job.target | string,
      'owner': deltawave._relation(record.target.schema, record.target.identifier) | string,
    }) -%}
  {%- elif record.materialization != job.materialization -%}
    {%- do deltawave._fail('materialization_changed', {'model': job.name, 'relation': job.target | string}) -%}
  {%- elif job.materialization != 'differential' -%}
    {#-
      A wave index is checked by its library, and a table that follows a log is rebuilt: they have none of the options
      below.
    -#}
  {%- elif record.unique_key | map('lower') | list != job.settings.unique_key | map('lower') | list -%}
    {%- do deltawave._fail('unique_key_changed', {
      'model': job.name,
      'was': record.unique_key | join(', '),
      'is': job.settings.unique_key | join(', '),
    }) -%}
  {%- elif record.file_format and record.file_format != job.settings.file_format -%}
    {%- do deltawave._fail('file_format_changed', {
      'model': job.name,
      'was': record.file_format,
      'is': job.settings.file_format,
    }) -%}
  {%- elif record.is_multiset != (job.settings.duplicate_keys == 'multiset') -%}
    {%- do deltawave._fail('multiset_changed', {
      'model': job.name,
      'was': 'with' if record.is_multiset else 'without',
      'is': job.settings.duplicate_keys,
    }) -%}
  {%- elif record.is_dated != (job.settings.snapshot_date is not none) -%}
    {%- do deltawave._fail('snapshot_date_changed', {
      'model': job.name,
      'was': 'with' if record.is_dated else 'without',
      'is': 'with' if job.settings.snapshot_date else 'without',
    }) -%}
  {%- elif record.get('snapshot_order') != job.settings.snapshot_order -%}
    {%- do deltawave._fail('snapshot_order_changed', {
      'model': job.name,
      'was': record.get('snapshot_order') or 'date',
      'is': job.settings.snapshot_order or 'date',
    }) -%}
  {%- endif -%}
{%- endmacro -%}

{#
  Does a state with a relation in another schema belong to that one, such as one of another target with the same
  state_schema? Not if that relation is
  missing: then the model has moved, and its state with it.
#}
{%- macro _is_of_another(job, record) -%}
  {%- set schema = record.target.schema -%}
  {%- set schemas = deltawave._run(
    job, 'show schemas like ' ~ deltawave._literal(schema)
  ).rows | map(attribute=0) | map('lower') | list -%}
  {%- set names = deltawave._names_like(job, record.target.identifier, schema) if schema | lower in schemas else [] -%}
  {{ return(record.target.identifier | lower in names | map('lower') | list) }}
{%- endmacro -%}
