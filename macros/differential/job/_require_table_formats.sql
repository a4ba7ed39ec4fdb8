{#
  Delta and Iceberg tables need a catalog that supports them. A session without one would report that in Java's words, and only after the dump was
  landed.
#}
{%- macro _require_table_formats(job) -%}
  {{ return(adapter.dispatch('_require_table_formats', 'deltawave')(job)) }}
{%- endmacro -%}

{%- macro default___require_table_formats(job) -%}
  {%- for option in ['file_format', 'copy_format'] if option in job.settings -%}
    {%- set format = job.settings[option] -%}
    {%- if format != 'parquet' and deltawave._session_catalog(job) in ['<undefined>', 'builtin'] -%}
      {%- do deltawave._fail('format_without_catalog', {'model': job.name, 'option': option, 'format': format}) -%}
    {%- endif -%}
  {%- endfor -%}
{%- endmacro -%}

{# Every catalog of Databricks supports Delta tables. #}
{%- macro databricks___require_table_formats(job) -%}{%- endmacro -%}

{# The class of the session catalog, as Spark names it; <undefined> or builtin for Spark's own. #}
{%- macro _session_catalog(job) -%}
  {%- if job.catalog is none -%}
    {%- do deltawave._update(job, catalog=deltawave._setting(job, 'spark.sql.catalog.spark_catalog')) -%}
  {%- endif -%}
  {{ return(job.catalog) }}
{%- endmacro -%}

{%- macro _catalog_keeps_views(job) -%}
  {{ return('iceberg' in deltawave._session_catalog(job) | lower) }}
{%- endmacro -%}
