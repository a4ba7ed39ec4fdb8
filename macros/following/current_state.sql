{#
  The table that a change log leads to, kept up to date: the rows of deltawave.current_state over the model's select,
  which reads one change log. A run reads the log's new batches alone. See _follow.
#}
{%- materialization current_state, default, supported_languages=['sql'] -%}

  {%- set job = deltawave._open_follower(model, this, model.compiled_code or sql) -%}

  {{ run_hooks(pre_hooks) }}

  {%- set record = deltawave._follow(job) -%}
  {%- do deltawave._describe_follower(job, record) -%}
  {%- call noop_statement('main', deltawave._outcome(job), res=none) -%}
    {{ job.statements | join(';\n\n') }}
  {%- endcall -%}

  {{ run_hooks(post_hooks) }}
  {%- do apply_grants(job.target, config.get('grants'), should_revoke=false) -%}

  {{ return({'relations': [job.target]}) }}

{%- endmaterialization -%}
