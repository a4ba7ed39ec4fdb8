{#
  The first of some batches of a log that a table which follows it, or the log of a join (strategy: view), has still to
  read: {batch_id, by}; none if all are read.
#}
{%- macro _first_unread(log, batches) -%}
  {%- set first = namespace(found=none) -%}
  {%- for name, read in dict(deltawave._read_by_followers(log), **deltawave._read_by_views(log)).items() -%}
    {%- set unread = batches | selectattr('batch_id', 'gt', read) | selectattr('changes') | list -%}
    {%- if unread and (not first.found or unread[0].batch_id < first.found.batch_id) -%}
      {%- set first.found = {'batch_id': unread[0].batch_id, 'by': name} -%}
    {%- endif -%}
  {%- endfor -%}
  {{ return(first.found) }}
{%- endmacro -%}

{# The last batch that each table which follows a log has read: {name: batch_id}. #}
{%- macro _read_by_followers(log) -%}
  {%- set read = {} -%}
  {%- for follower in deltawave._jobs_of_followers(log) -%}
    {#- What another materialization has made under its name has read nothing. -#}
    {%- set view = deltawave._mark_in(deltawave._facts_of(follower, follower.target).get('View Text') or '') -%}
    {%- if view.batch_id -%}
      {%- do read.update({follower.name: deltawave._read_commit(follower, view.batch_id).followed.batch_id}) -%}
    {%- endif -%}
  {%- endfor -%}
  {{ return(read) }}
{%- endmacro -%}

{# The same of the logs of joins. One that has read a log without rows reads all of it the next time. #}
{%- macro _read_by_views(log) -%}
  {%- set read = {} -%}
  {%- for node in deltawave._nodes_after(log.unique_id) if deltawave._is_log(node) -%}
    {%- set settings = deltawave._differential_settings(node.name, node.config) -%}
    {%- set relation = deltawave._relation(node.schema, node.alias) -%}
    {%- if settings.strategy == 'view' and deltawave._in_catalog(relation)
        and log.unique_id in deltawave._lineage(node, settings.constant_relations).logs -%}
      {%- set job = deltawave._open_job(node.name, settings, relation) -%}
      {%- set view = deltawave._view_of_log(job) -%}
      {%- set record = deltawave._read_commit(job, view.batch_id) if view and view.batch_id else {} -%}
      {%- set batches = record.progress.batches if record.progress_strategy == 'view' else {} -%}
      {%- for name in deltawave._names_of(log) if batches[name] -%}
        {%- do read.update({node.name: batches[name]}) -%}
      {%- endfor -%}
    {%- endif -%}
  {%- endfor -%}
  {{ return(read) }}
{%- endmacro -%}
