{#
  The relations that a view joins, one per mapping, the root's first mapping first: [{name, unique_id, log, published,
  first_batch, last_batch, last_attempt, is_behind, before_since, settings, has_before, log_columns, view_columns,
  anchors, is_direct}]. published: see _require_same_log; log_columns and view_columns are the mapped columns, pair by
  pair; is_direct: the anchors are among the mapped columns. last_progress: that of the last run.
#}
{%- macro _joined_relations(job, batch, last_progress, between) -%}
  {%- set lineage = deltawave._lineage(model, job.settings.constant_relations) -%}
  {%- set relations = [] -%}
  {%- for name, mappings in job.settings.relations.items() -%}
    {%- set node = deltawave._joined_node(job.name, model, lineage, name) -%}
    {%- set log = deltawave._joined_log(job, batch, name, node, last_progress, between) -%}
    {%- for mapping in mappings -%}
      {%- set relation = dict(log, **deltawave._mapped_columns(job, batch, log, mapping)) -%}
      {%- set names = relation.view_columns | map(attribute='name') | list -%}
      {%- set anchors = relations[0].anchors if relations else names -%}
      {%- do relation.update(anchors=anchors, is_direct=anchors | reject('in', relation.alike) | list == []) -%}
      {%- do relations.append(relation) -%}
    {%- endfor -%}
  {%- endfor -%}
  {{ return(relations) }}
{%- endmacro -%}

{# The published state of a change log, relative to the last batch that was read; batch 0 for a log without rows yet. #}
{%- macro _joined_log(job, batch, name, node, last_progress, between) -%}
  {%- set settings = deltawave._differential_settings(node.name, node.config) -%}
  {%- set source = deltawave._open_job(
    node.name, settings, api.Relation.create(schema=node.schema, identifier=node.alias)
  ) -%}
  {%- do source.update(statements=job.statements) -%}
  {%- if settings.duplicate_keys == 'multiset' -%}
    {%- do deltawave._refuse(job, batch, 'relation_multiset', {'relation': name}) -%}
  {%- endif -%}
  {%- set log = {'name': name, 'unique_id': node.unique_id, 'log': source.target} -%}
  {%- set view = deltawave._view_of_log(source) -%}
  {%- if view is none -%}
    {%- do deltawave._refuse(job, batch, 'relation_without_batch', {'relation': name}) -%}
  {%- elif not view.batch_id -%}
    {{ return(dict(log, last_batch=0, last_attempt=none, columns=deltawave._columns_of(source.target))) }}
  {%- endif -%}
  {#- Until a batch is published, the previous decision is valid. -#}
  {%- set record = deltawave._read_commit(source, view.batch_id) -%}
  {%- do deltawave._check_version(name, record) -%}
  {%- do deltawave._refresh(source, record.file_format, [
    deltawave._helper_relation(source, record.log), source.batches,
  ]) -%}
  {%- set stored = [] -%}
  {%- for other in between if other.is_stored and node.unique_id in other.reads -%}
    {%- do stored.append(other.name) -%}
  {%- endfor -%}
  {%- set last_read = (last_progress.batches or {}).get(name, 0) -%}
  {{ return(dict(
    log,
    published={
      'job': source, 'name': name, 'batch_id': view.batch_id, 'attempt': view.attempt, 'log': record.log,
      'erased_at': record.get('erased_at'),
    },
    first_batch=record.first_batch,
    before_since=record.before_since,
    settings=settings,
    has_before=settings.before_image != 'none' and record.before_since <= record.batch_id,
    columns=record.columns,
    **deltawave._batches_since(source, record, last_read, (last_progress.attempts or {}).get(name), stored)
  )) }}
{%- endmacro -%}

{#
  The last batch that brought or undid changes (so a compaction does not count), and whether the log is behind: whether
  it no longer has all changes after `last_read`, because batches were undone or expired, or the log was rebuilt. If a
  stored model lies between, only batches count that existed when this invocation began, or that it made itself: the
  nodes that have run since contain their changes. Other batches are left to the next run.
#}
{%- macro _batches_since(source, record, last_read, attempt, stored) -%}
  {%- set started_at = deltawave._timestamp(deltawave._utc(run_started_at)) -%}
  {%- set is_contained = '(decided_at < ' ~ started_at ~ ' or attempt = ' ~ deltawave._literal(source.attempt) ~ ')' -%}
  {%- set sql -%}
with batches as (
    select
        batch_id,
        attempt,
        inserts + deletes + updates + backfilled > 0 as has_changes,
        rewound_to is not null or batch_id = {{ record.generation }} as is_news,
        {{ is_contained if stored else 'true' }} as is_contained
    from {{ deltawave._standing_batches(deltawave._batches_so_far(source, record), until=record.batch_id) }}
    where batch_id <= {{ record.batch_id }}
)

select
    coalesce(max(batch_id) filter (where is_contained and (has_changes or is_news)), 0) as last_batch,
    max_by(attempt, batch_id) filter (where is_contained and (has_changes or is_news)) as last_attempt,
    count_if(batch_id = {{ last_read }} {{ 'and attempt = ' ~ deltawave._literal(attempt) if attempt }}) as is_there,
    count_if(batch_id > {{ last_read }} and batch_id <= {{ record.first_batch }} and has_changes) as expired
from batches
  {%- endset -%}
  {%- set row = deltawave._run(source, sql).rows[0] -%}
  {{ return({
    'last_batch': row[0] | int,
    'last_attempt': row[1],
    'is_behind': row[2] | int == 0 or row[3] | int > 0 or record.generation > last_read,
  }) }}
{%- endmacro -%}

{#
  The mapped columns with their types: those of the log, and those of the model's select. alike: the names of the latter
  that have the types of the former; values of others Spark compares.
#}
{%- macro _mapped_columns(job, batch, relation, mapping) -%}
  {%- set logged = relation.columns | rejectattr('name', 'in', deltawave._reserved_columns()) | list -%}
  {%- set log_columns, view_columns, alike = [], [], [] -%}
  {%- for log_name, view_name in mapping.items() -%}
    {%- set found = [] -%}
    {%- for column in logged if column.name | lower == log_name | lower -%}{%- do found.append(column) -%}{%- endfor -%}
    {%- if not found -%}
      {%- do deltawave._refuse(job, batch, 'relation_column', {
        'relation': relation.name, 'column': log_name,
        'columns': logged | map(attribute='name') | join(', '),
      }) -%}
    {%- endif -%}
    {%- if relation.last_batch and not deltawave._is_compared_exactly(relation.settings, log_name) -%}
      {%- do deltawave._refuse(job, batch, 'relation_uncompared', {'relation': relation.name, 'column': log_name}) -%}
    {%- endif -%}
    {%- if relation.last_batch and not found[0].is_key and not relation.has_before -%}
      {%- do deltawave._refuse(job, batch, 'relation_before', {'relation': relation.name, 'column': log_name}) -%}
    {%- endif -%}
    {%- do log_columns.append(found[0]) -%}
    {%- for column in job.columns if column.name | lower == view_name | lower -%}
      {%- do view_columns.append(column) -%}
      {%- if column.data_type == found[0].data_type -%}{%- do alike.append(column.name) -%}{%- endif -%}
    {%- endfor -%}
  {%- endfor -%}
  {{ return({'log_columns': log_columns, 'view_columns': view_columns, 'alike': alike}) }}
{%- endmacro -%}

{# Stops if the log no longer has all changes after the last batch that was read, or their before images. #}
{%- macro _require_not_behind(job, batch, relation, last_read) -%}
  {%- if relation.is_behind -%}
    {%- do deltawave._refuse(job, batch, 'relation_behind', {
      'relation': relation.name, 'last_read': last_read, 'last': relation.last_batch, 'first': relation.first_batch,
    }) -%}
  {%- endif -%}
  {%- for column in relation.log_columns if not column.is_key
      and [relation.before_since, column.before_since or 0] | max > last_read + 1 -%}
    {%- do deltawave._refuse(job, batch, 'relation_before', {'relation': relation.name, 'column': column.name}) -%}
  {%- endfor -%}
{%- endmacro -%}
