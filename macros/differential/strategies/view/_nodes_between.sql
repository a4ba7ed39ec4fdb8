{#
  The nodes between the change logs and a view, including seeds: [{unique_id, name, resource_type, is_stored, code,
  reads}]. code: a hash of what determines its rows, the text of a view in the catalog, otherwise the node's own
  source. is_stored: it stores its rows, which are as recent as its last run. reads: the unique_ids of everything that
  it reads.
#}
{%- macro _nodes_between(job) -%}
  {%- set constants = job.settings.constant_relations -%}
  {%- set lineage = deltawave._lineage(model, constants) -%}
  {%- set between = [] -%}
  {%- for unique_id in (lineage.between + lineage.leaves) | sort -%}
    {%- set node = graph.nodes[unique_id] -%}
    {%- set read = deltawave._lineage(node, constants) if unique_id in lineage.between
        else {'logs': [], 'between': [], 'leaves': []} -%}
    {%- set text = deltawave._view_text(job, node) -%}
    {%- do between.append({
      'unique_id': unique_id,
      'name': node.name,
      'resource_type': node.resource_type,
      'is_stored': text is none and node.config.materialized != 'ephemeral',
      'code': deltawave._code_of(node, text),
      'reads': read.logs + read.between + read.leaves,
    }) -%}
  {%- endfor -%}
  {{ return(between) }}
{%- endmacro -%}

{# Stops if --defer makes the select read rows of another environment, whose changes are not in the logs of this one. #}
{%- macro _require_own_relations(job, batch) -%}
  {%- set lineage = deltawave._lineage(model, job.settings.constant_relations) -%}
  {%- set elsewhere = [] -%}
  {%- for unique_id in (lineage.logs + lineage.between + lineage.leaves) | sort if invocation_args_dict.get('defer') -%}
    {%- set node = graph.nodes[unique_id] -%}
    {#- The same decision as dbt's. -#}
    {%- set is_passed_over = invocation_args_dict.get('favor_state') and unique_id not in selected_resources -%}
    {%- if node.config.materialized != 'ephemeral'
        and (is_passed_over or not adapter.get_relation(node.database, node.schema, node.alias)) -%}
      {%- do elsewhere.append(node.name) -%}
    {%- endif -%}
  {%- endfor -%}
  {%- if elsewhere -%}
    {%- do deltawave._refuse(job, batch, 'relation_deferred', {
      'names': elsewhere | join(', '), 'selected': (elsewhere + [job.name]) | join(' '),
    }) -%}
  {%- endif -%}
{%- endmacro -%}

{#
  Stops if a node between stores rows from before a change that this run would record as read: a new batch of a log, or
  edited code. Only a run of that node in this invocation, which dbt orders after the logs, proves that it has them.
#}
{%- macro _require_fresh(job, batch, between, relations, last_progress) -%}
  {%- set changed = [] -%}
  {%- for relation in relations if relation.last_batch != (last_progress.batches or {}).get(relation.name) -%}
    {%- do changed.append(relation.unique_id) -%}
  {%- endfor -%}
  {%- for node in between if node.code != (last_progress.code or {}).get(node.unique_id) -%}
    {%- do changed.append(node.unique_id) -%}
  {%- endfor -%}
  {%- set stale = [] -%}
  {%- for node in between if node.is_stored and node.unique_id not in selected_resources -%}
    {%- if ([node.unique_id] + node.reads) | select('in', changed) | list -%}{%- do stale.append(node) -%}{%- endif -%}
  {%- endfor -%}
  {%- if stale and not deltawave._is_accepted(job) -%}
    {%- set names = stale | map(attribute='name') | list -%}
    {%- do deltawave._refuse(job, batch, 'relation_stale', {
      'names': names | join(', '),
      'command': 'run' if stale | rejectattr('resource_type', 'equalto', 'model') | list == [] else 'build',
      'selected': (names + [job.name]) | join(' '),
    }) -%}
  {%- endif -%}
{%- endmacro -%}
