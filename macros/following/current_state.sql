{#
  The table that a change log leads to, kept up to date: the rows of deltawave.current_state over the model's select,
  which reads one change log. A run reads the log's new batches alone. See _follow.
#}
{%- materialization current_state, default, supported_languages=['sql'] -%}
  {{ return(deltawave._materialize_follower(model, this, model.compiled_code or sql, pre_hooks, post_hooks)) }}
{%- endmaterialization -%}
