{# The tables that follow a log, as they are: [{job, record}]; those that have no batch yet are left out. #}
{%- macro _followers_of(log) -%}
  {%- set followers = [] -%}
  {%- for job in deltawave._jobs_of_followers(log) -%}
    {%- set record = deltawave._repair(job).record -%}
    {%- if record and record.rows -%}
      {%- do followers.append({'job': job, 'record': record}) -%}
    {%- endif -%}
  {%- endfor -%}
  {{ return(followers) }}
{%- endmacro -%}

{%- macro _jobs_of_followers(log) -%}
  {%- set jobs = [] -%}
  {%- for node in graph.nodes.values() if node.config.materialized in ['current_state', 'scd2'] -%}
    {%- set relation = deltawave._relation(node.schema, node.alias) -%}
    {%- if deltawave._read_by_select(node) == [log.unique_id] and deltawave._in_catalog(relation) -%}
      {%- do jobs.append(deltawave._job_of_follower(node, relation)) -%}
    {%- endif -%}
  {%- endfor -%}
  {{ return(jobs) }}
{%- endmacro -%}

{#
  Writes the table without the rows, as a batch of its own that has the same batches of the log. The table before is
  dropped at once, with the one before that, which may have rows that the log has deleted since: a query that still
  reads it fails. Delta and Iceberg keep older files as long as the table. log: the log's record.
#}
{%- macro _erase_from_follower(follower, place, subject, log) -%}
  {%- set job, last = follower.job, follower.record -%}
  {%- if place.rows or deltawave._is_merged(last.file_format) -%}
    {%- do deltawave._refresh(job, last.file_format, [deltawave._attempt_relation(job, last.rows)]) -%}
    {%- set record = deltawave._rewrite_follower(
      job, last, 'erase', 'erased rows', deltawave._no_subject(subject), log.rows_new
    ) -%}
    {%- do deltawave._drop_leftovers(job, record) -%}
  {%- endif -%}
{%- endmacro -%}
