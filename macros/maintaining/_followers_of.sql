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

{# Those that have the log's key; others may have rows of it in another form, and are named. #}
{%- macro _followers_with_key(log, work) -%}
  {%- set followers, key = [], deltawave._key_of(work) -%}
  {%- for follower in deltawave._followers_of(log) if deltawave._has_key(key, follower.record.columns) -%}
    {%- do followers.append(follower) -%}
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
