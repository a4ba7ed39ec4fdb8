{#
  The versions of each row, in the columns of a dbt snapshot, kept up to date: those of deltawave.scd2 over the model's
  select, which reads one change log. A run reads the log's new batches alone. See _follow.
#}
{%- materialization scd2, default, supported_languages=['sql'] -%}

  {%- set job = deltawave._open_follower(model, this, model.compiled_code or sql) -%}

  {{ run_hooks(pre_hooks) }}

  {%- set record = deltawave._follow(job) -%}
  {%- if not flags.EMPTY -%}
    {%- set record = deltawave._retain_versions(job, record) -%}
  {%- endif -%}
  {%- do deltawave._describe_follower(job, record) -%}
  {%- call noop_statement('main', deltawave._outcome(job), res=none) -%}
    {{ job.statements | join(';\n\n') }}
  {%- endcall -%}

  {{ run_hooks(post_hooks) }}
  {%- do apply_grants(job.target, config.get('grants'), should_revoke=false) -%}

  {{ return({'relations': [job.target]}) }}

{%- endmaterialization -%}
