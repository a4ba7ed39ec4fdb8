{# Every option of a wave index, declared like the options of a differential model (see _options). #}
{%- macro _wave_options() -%}
  {%- set choices = adapter.call_library('deltawave.wave.tables.choices', {}, {}) -%}
  {{ return({
    'scheme': {'default': none, 'is': 'choice', 'values': choices.schemes},
    'window': {'default': none, 'is': 'count'},
    'constituents': {'default': none, 'is': 'count'},
    'day_column': {'default': none, 'is': 'name'},
    'search_field': {'default': none, 'is': 'name'},
    'update_technique': {'default': 'packed_shadow', 'is': 'choice', 'values': choices.techniques},
    'buckets': {'default': 8, 'is': 'count'},
    'spread': {'default': false, 'is': 'choice', 'values': [false, true]},
    'clip': {'default': true, 'is': 'choice', 'values': [false, true]},
    'gaps': {'default': none, 'is': 'choice', 'values': [none] + choices.gaps},
    'lead_days': {'default': 1, 'is': 'days'},
    'state_schema': {'default': none, 'is': 'name'},
    'full_refresh': {'default': none, 'is': 'choice', 'values': [none, false, true]},
  }) }}
{%- endmacro -%}

{# The only reader of a wave index's configuration; needs no connection. #}
{%- macro _wave_settings(name, config) -%}
  {%- do deltawave._require_wave_adapter(name, with_session=false) -%}
  {%- set options = deltawave._wave_options() -%}
  {%- set settings = deltawave._read_options(name, config, options) -%}
  {%- set examples = {
    'scheme': 'wata', 'window': '7', 'constituents': '3', 'day_column': 'day', 'search_field': 'supplier_id',
  } -%}
  {%- for option in examples if settings[option] is none -%}
    {%- do deltawave._fail('required', {'model': name, 'option': option, 'example': examples[option]}) -%}
  {%- endfor -%}
  {%- do settings.update(file_format='parquet') -%}
  {%- for option, allowed in adapter.call_library(
    'deltawave.wave.schemes.refused', {}, deltawave._wave_layout(settings)
  ).items() -%}
    {%- do deltawave._refuse_option(name, option, settings[option], allowed ~ ' with scheme: ' ~ settings.scheme) -%}
  {%- endfor -%}
  {{ return(settings) }}
{%- endmacro -%}

{# The settings that say which days each constituent has. #}
{%- macro _wave_layout(settings) -%}
  {{ return({'scheme': settings.scheme, 'window': settings.window, 'constituents': settings.constituents}) }}
{%- endmacro -%}
