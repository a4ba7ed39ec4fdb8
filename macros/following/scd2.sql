{#
  The versions of each row, in the columns of a dbt snapshot, kept up to date: those of deltawave.scd2 over the model's
  select, which reads one change log. A run reads the log's new batches alone. See _follow.
#}
{%- materialization scd2, default, supported_languages=['sql'] -%}
  {{ return(deltawave._materialize_follower(model, this, model.compiled_code or sql, pre_hooks, post_hooks)) }}
{%- endmaterialization -%}
