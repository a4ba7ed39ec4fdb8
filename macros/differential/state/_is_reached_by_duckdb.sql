{# Does DuckDB compare the dump's columns as Spark does, and reach the files of both? Asked once per run. #}
{%- macro _is_reached_by_duckdb(job) -%}
  {%- if job.is_reached is none -%}
    {%- do deltawave._update(job, is_reached=deltawave._runs_python() and adapter.call_library(
      'deltawave.differencing.local_engine.reaches', {'rows': deltawave._in_parentheses(job.sql)}, {}
    )) -%}
  {%- endif -%}
  {{ return(job.is_reached) }}
{%- endmacro -%}

{# Does DuckDB also read the log, which consists of Parquet files on this machine? #}
{%- macro _is_read_by_duckdb(job) -%}
  {%- if job.settings.file_format != 'parquet' or not deltawave._is_reached_by_duckdb(job) -%}
    {{ return(false) }}
  {%- endif -%}
  {#- With TIMESTAMP_NTZ, a table's `timestamp` has no zone, and a select's may have one. -#}
  {%- if deltawave._setting(job, 'spark.sql.timestampType') | upper == 'TIMESTAMP_NTZ' -%}
    {{ return(false) }}
  {%- endif -%}
  {{ return(modules.re.match('(?:file:|/)', deltawave._setting(job, 'spark.sql.warehouse.dir')) is not none) }}
{%- endmacro -%}
