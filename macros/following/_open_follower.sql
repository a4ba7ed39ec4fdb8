{# Opens the work on a table that follows a change log. #}
{%- macro _open_follower(node, relation, sql) -%}
  {%- set settings = deltawave._follower_settings(node.name, node.config) -%}
  {%- set followed = deltawave._followed_node(node, settings) -%}
  {%- set logged = deltawave._differential_settings(followed.name, followed.config) -%}
  {%- do settings.update(unique_key=logged.unique_key, is_multiset=logged.duplicate_keys == 'multiset') -%}
  {%- if invocation_args_dict.get('sample') -%}
    {%- do deltawave._fail('follower_sample', {'model': node.name}) -%}
  {%- endif -%}
  {#- Without favor_state dbt reads another environment only where this one lacks the log, which _followed_log refuses. -#}
  {%- set favors_other = invocation_args_dict.get('defer') and invocation_args_dict.get('favor_state') and not flags.EMPTY -%}
  {%- if favors_other and followed.unique_id not in selected_resources -%}
    {%- do deltawave._fail('follower_deferred', {'model': node.name, 'log': followed.name}) -%}
  {%- endif -%}
  {%- set job = deltawave._open_job(node.name, settings, relation, settings.kind) -%}
  {%- do deltawave._update(job, follows=followed, sql='(\n' ~ sql ~ '\n)') -%}
  {%- do deltawave._require_table_formats(job) -%}
  {%- if job.state_schema != job.target.schema -%}
    {%- do deltawave._run(job, 'create schema if not exists ' ~ deltawave._quoted(job.state_schema)) -%}
  {%- endif -%}
  {{ return(job) }}
{%- endmacro -%}
