{# How the previous state is stored: as Parquet, which alone Spark buckets, unless the catalog may take none. #}
{%- macro _state_format() -%}{{ return(adapter.dispatch('_state_format', 'deltawave')()) }}{%- endmacro -%}

{%- macro default___state_format() -%}{{ return('parquet') }}{%- endmacro -%}

{%- macro databricks___state_format() -%}{{ return('delta') }}{%- endmacro -%}
