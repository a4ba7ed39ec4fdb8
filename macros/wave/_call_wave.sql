{# What a function of deltawave.wave.materialization returns. It gets the rows of the model's select as `dump`. #}
{%- macro _call_wave(job, function, options) -%}
  {{ return(adapter.call_library('deltawave.wave.materialization.' ~ function, {'dump': job.sql}, options)) }}
{%- endmacro -%}

{# Stops if the adapter can't call the library, or has no session of Spark in dbt's own process. #}
{%- macro _require_wave_adapter(name, with_session=true) -%}
  {%- if adapter.call_library is not defined or (with_session and not adapter.runs_python()) -%}
    {%- do deltawave._fail('wave_adapter', {'model': name}) -%}
  {%- endif -%}
{%- endmacro -%}
