{# Refuses what Spark 3 has no statements or functions for. #}
{%- macro _require_spark_4(what) -%}
  {%- set version = run_query('select version()').rows[0][0] -%}
  {%- if version.startswith('3.') -%}
    {%- do deltawave._fail('needs_spark_4', {'what': what, 'version': version.split(' ')[0]}) -%}
  {%- endif -%}
{%- endmacro -%}
