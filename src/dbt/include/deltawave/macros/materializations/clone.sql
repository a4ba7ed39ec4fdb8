{#- dbt-spark clones models with file_format: delta, and nothing else. Change logs, the
    tables that follow them, and wave indices are views, which need no format. -#}
{% materialization clone, adapter='deltawave' -%}
  {%- if defer_relation and config.get('materialized') in ['differential', 'current_state', 'scd2', 'wave_index'] -%}
    {{ return(deltawave.clone_log(model.name, this, defer_relation)) }}
  {%- endif -%}
  {{ return(context['materialization_clone_spark']()) }}
{%- endmaterialization %}
