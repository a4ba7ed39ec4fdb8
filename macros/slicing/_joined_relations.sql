{#
  The relations that a view joins, in the order of `relations`, the root first: [{name, log, first_batch, last_batch, is_behind,
  before_since, tells_before, log_columns, view_columns, anchors, is_direct}]. log_columns and view_columns are what is mapped, pair by
  pair; is_direct: the mapped columns name the anchor themselves. seen: {relation: the last batch seen}.
#}
{%- macro _joined_relations(job, batch, seen) -%}
  {%- set relations = [] -%}
  {%- for name, mapping in job.settings.relations.items() -%}
    {%- set relation = deltawave._joined_relation(job, batch, name, seen.get(name, 0)) -%}
    {%- do relation.update(deltawave._mapped_columns(job, batch, relation, mapping)) -%}
    {%- set names = relation.view_columns | map(attribute='name') | list -%}
    {%- set anchors = names if loop.first else relations[0].anchors -%}
    {%- do relation.update(anchors=anchors, is_direct=anchors | reject('in', names) | list == []) -%}
    {%- do relations.append(relation) -%}
  {%- endfor -%}
  {{ return(relations) }}
{%- endmacro -%}

{# What stands of a change log that readers see, seen from the batch that was the last one seen; batch 0 of one that has no rows yet. #}
{%- macro _joined_relation(job, batch, name, seen) -%}
  {%- set node = deltawave._joined_node(job, batch, name) -%}
  {%- set settings = deltawave._differential_settings(node.name, node.config) -%}
  {%- set source = deltawave._open_job(node.name, settings, api.Relation.create(schema=node.schema, identifier=node.alias)) -%}
  {%- do source.update(statements=job.statements) -%}
  {%- if settings.duplicate_keys == 'multiset' -%}
    {%- do deltawave._refuse(job, batch, 'relation_multiset', {'relation': name}) -%}
  {%- endif -%}
  {%- set view = deltawave._read_view(source) -%}
  {%- if view is none -%}
    {%- do deltawave._refuse(job, batch, 'relation_without_batch', {'relation': name}) -%}
  {%- elif not view.batch_id -%}
    {{ return({'name': name, 'log': source.target, 'last_batch': 0, 'columns': deltawave._columns_of(source.target)}) }}
  {%- endif -%}
  {#- Until a batch is published, the decision of the one before stands. -#}
  {%- set record = deltawave._read_commit(source, view.batch_id) -%}
  {{ return(dict({
    'name': name,
    'log': source.target,
    'first_batch': record.first_batch,
    'before_since': record.before_since,
    'tells_before': settings.before_image != 'none' and record.before_since <= record.batch_id,
    'columns': record.columns,
  }, **deltawave._batches_since(source, record, seen))) }}
{%- endmacro -%}

{#
  The last batch that brought changes (so that one of a compaction is no news), and whether all changes after `seen` are in the log: none
  of them, and nothing before, was undone, expired or begun anew.
#}
{%- macro _batches_since(source, record, seen) -%}
  {%- set sql -%}
select
    coalesce(max(if(inserts + deletes + updates + backfilled > 0, batch_id, 0)), 0) as last_batch,
    count_if(batch_id = {{ seen }}) as is_there,
    count_if(batch_id > {{ seen }} and batch_id <= {{ record.first_batch }} and inserts + deletes + updates + backfilled > 0) as expired
from {{ deltawave._standing_batches(source.batches, until=record.batch_id) }}
where batch_id <= {{ record.batch_id }}
  {%- endset -%}
  {%- set row = deltawave._run(source, sql).rows[0] -%}
  {{ return({
    'last_batch': [row[0] | int, record.generation] | max,
    'is_behind': row[1] | int == 0 or row[2] | int > 0 or record.generation > seen,
  }) }}
{%- endmacro -%}

{# The model of a name in `relations`, or of package.name: a change log that this model is built after. #}
{%- macro _joined_node(job, batch, name) -%}
  {%- set models = graph.nodes.values() | selectattr('resource_type', 'equalto', 'model') -%}
  {%- set logs = models | selectattr('config.materialized', 'equalto', 'differential') | list -%}
  {%- set parts = name.split('.') -%}
  {%- set nodes = logs | selectattr('name', 'equalto', parts[-1]) | list -%}
  {%- if parts | length > 1 -%}
    {%- set nodes = nodes | selectattr('package_name', 'equalto', parts[0]) | list -%}
  {%- endif -%}
  {%- if not nodes or parts | length > 2 -%}
    {%- set known = logs | map(attribute='name') | reject('equalto', job.name) | unique | sort | join(', ') -%}
    {%- do deltawave._refuse(job, batch, 'relation_unknown', {'relation': name, 'known': known or 'none'}) -%}
  {%- endif -%}
  {%- set own = nodes | selectattr('package_name', 'equalto', model.package_name) | list -%}
  {%- set node = (own or nodes)[0] -%}
  {%- if not deltawave._is_built_after(model, node.unique_id) -%}
    {%- do deltawave._refuse(job, batch, 'relation_unread', {'relation': name, 'name': node.name}) -%}
  {%- endif -%}
  {{ return(node) }}
{%- endmacro -%}

{# Does a model read another one, itself or through others? #}
{%- macro _is_built_after(node, unique_id) -%}
  {%- set seen = node.depends_on.nodes | list -%}
  {#- Grows while it is walked. -#}
  {%- for parent in seen -%}
    {%- if parent == unique_id -%}{{ return(true) }}{%- endif -%}
    {%- for grandparent in graph.nodes[parent].depends_on.nodes if parent in graph.nodes and grandparent not in seen -%}
      {%- do seen.append(grandparent) -%}
    {%- endfor -%}
  {%- endfor -%}
  {{ return(false) }}
{%- endmacro -%}

{# What is mapped, with its types: columns of the log, and of the model's select. #}
{%- macro _mapped_columns(job, batch, relation, mapping) -%}
  {%- set logged = relation.columns | rejectattr('name', 'in', deltawave._reserved_columns()) | list -%}
  {%- set log_columns = [] -%}
  {%- set view_columns = [] -%}
  {%- for log_name, view_name in mapping.items() -%}
    {%- set found = [] -%}
    {%- for column in logged if column.name | lower == log_name | lower -%}{%- do found.append(column) -%}{%- endfor -%}
    {%- if not found -%}
      {%- do deltawave._refuse(job, batch, 'relation_column', {
        'relation': relation.name, 'column': log_name,
        'columns': logged | map(attribute='name') | join(', '),
      }) -%}
    {%- endif -%}
    {%- if relation.last_batch and not found[0].is_key and not relation.tells_before -%}
      {%- do deltawave._refuse(job, batch, 'relation_before', {'relation': relation.name, 'column': log_name}) -%}
    {%- endif -%}
    {%- do log_columns.append(found[0]) -%}
    {%- for column in job.columns if column.name | lower == view_name | lower -%}{%- do view_columns.append(column) -%}{%- endfor -%}
  {%- endfor -%}
  {{ return({'log_columns': log_columns, 'view_columns': view_columns}) }}
{%- endmacro -%}

{# Stops where the changes after the last batch seen can't be had from the log, or don't tell what was. #}
{%- macro _require_not_behind(job, batch, relation, seen) -%}
  {%- if relation.is_behind -%}
    {%- do deltawave._refuse(job, batch, 'relation_behind', {
      'relation': relation.name, 'seen': seen, 'last': relation.last_batch, 'first': relation.first_batch,
    }) -%}
  {%- endif -%}
  {%- for column in relation.log_columns if not column.is_key and relation.before_since > seen + 1 -%}
    {%- do deltawave._refuse(job, batch, 'relation_before', {'relation': relation.name, 'column': column.name}) -%}
  {%- endfor -%}
{%- endmacro -%}
