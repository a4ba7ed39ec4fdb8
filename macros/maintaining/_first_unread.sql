{#
  The first of these batches of a log that one of its readers has not read: {batch_id, by}; none if all are read.
  Readers are tables that follow the log, and logs of joins (strategy: view). A join that has missed expired batches
  compares all rows when it runs again: it needs none of these.
#}
{%- macro _first_unread(log, batches) -%}
  {%- set first = namespace(found=none) -%}
  {%- set expired = batches[0].batch_id if batches and batches[0].changes else 1 -%}
  {%- for reader in deltawave._read_by_followers(log) + deltawave._read_by_joins(log, expired) -%}
    {%- set unread = batches | selectattr('batch_id', 'gt', reader.read) | selectattr('changes') | list -%}
    {%- if unread and (not first.found or unread[0].batch_id < first.found.batch_id) -%}
      {%- set first.found = {'batch_id': unread[0].batch_id, 'by': reader.name} -%}
    {%- endif -%}
  {%- endfor -%}
  {{ return(first.found) }}
{%- endmacro -%}

{# The last batch that each table which follows a log has read: [{name, read}]. #}
{%- macro _read_by_followers(log) -%}
  {%- set readers = [] -%}
  {%- for follower in deltawave._jobs_of_followers(log) -%}
    {%- set record = deltawave._record_shown(follower) -%}
    {%- if record -%}
      {%- do readers.append({'name': follower.name, 'read': record.followed.batch_id}) -%}
    {%- endif -%}
  {%- endfor -%}
  {{ return(readers) }}
{%- endmacro -%}

{#
  The same of the logs of joins that have read the batch `from_batch` or a later one. One that has read a log without
  rows has read batch 0.
#}
{%- macro _read_by_joins(log, from_batch) -%}
  {%- set readers = [] -%}
  {%- for node in deltawave._nodes_after(log.unique_id, ['model', 'snapshot'])
      if deltawave._is_log(node) and deltawave._given(node.name, node.config, 'strategy') == 'view' -%}
    {%- set settings = deltawave._differential_settings(node.name, node.config) -%}
    {%- set relation = deltawave._relation(node.schema, node.alias) -%}
    {%- if log.unique_id in deltawave._lineage(node, settings.constant_relations).logs
        and deltawave._in_catalog(relation) -%}
      {%- set record = deltawave._record_shown(deltawave._open_job(node.name, settings, relation)) or {} -%}
      {%- set batches = (record.progress or {}).batches or {} -%}
      {%- for name in deltawave._names_of(log) if batches.get(name, 0) >= from_batch -%}
        {%- do readers.append({'name': node.name, 'read': batches[name]}) -%}
      {%- endfor -%}
    {%- endif -%}
  {%- endfor -%}
  {{ return(readers) }}
{%- endmacro -%}

{# The record that a view shows; none if the name holds what another materialization or program has made. #}
{%- macro _record_shown(job) -%}
  {%- set view = deltawave._mark_in(deltawave._facts_of(job, job.target).get('View Text') or '') -%}
  {{ return(deltawave._read_commit(job, view.batch_id) if view.batch_id else none) }}
{%- endmacro -%}
