{#- dbt-spark clones models with file_format: delta, and nothing else. A change log and a wave index are views, which need no format. -#}
{% materialization clone, adapter='deltawave' -%}
  {%- if defer_relation and config.get('materialized') in ['differential', 'wave_index'] -%}
    {{ return(deltawave.clone_log(model.name, this, defer_relation)) }}
  {%- endif -%}
  {{ return(context['materialization_clone_spark']()) }}
{%- endmaterialization %}
