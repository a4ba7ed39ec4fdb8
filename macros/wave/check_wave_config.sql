{# Refuses a wrong configuration; the adapter calls it for every model before any statement runs. #}
{%- macro check_wave_config(name, config) -%}
  {%- do deltawave._wave_settings(name, config) -%}
{%- endmacro -%}
