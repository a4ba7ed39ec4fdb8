{#- Settings for writing one table must not reach other threads, which share the session: a static overwrite there would
    turn dynamic. In a session they belong to a copy of it, as do temporary views. -#}
{% macro _begin_writing(relation, overwrites_partitions=false) -%}
  {%- set settings = {} -%}
  {%- if overwrites_partitions -%}
    {%- do settings.update({'spark.sql.sources.partitionOverwriteMode': 'DYNAMIC'}) -%}
  {%- endif -%}
  {%- if config.get('location_root') and target.method == 'session' -%}
    {#- Dropping a table with a location leaves its files, and Spark refuses to create it anew over them. -#}
    {%- do settings.update({'spark.sql.legacy.allowNonEmptyLocationInCTAS': 'true'}) -%}
  {%- endif -%}
  {%- if target.method == 'session' -%}
    {%- do adapter.isolate_session(relation, settings) -%}
  {%- else -%}
    {%- for name, value in settings.items() -%}
      {%- call statement() -%}
        set {{ name }} = {{ value }}
      {%- endcall -%}
    {%- endfor -%}
  {%- endif -%}
{%- endmacro %}

{% macro _end_writing() -%}
  {%- if target.method == 'session' -%}
    {%- do adapter.rejoin_session() -%}
  {%- endif -%}
{%- endmacro %}
