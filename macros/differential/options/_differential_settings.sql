{# The only reader of a differential model's configuration; needs no connection, so the adapter checks by it first. #}
{%- macro _differential_settings(name, config) -%}
  {%- set options = deltawave._options() -%}
  {%- do deltawave._refuse_removed(name, config, options) -%}
  {%- do deltawave._refuse_snapshot_options(name, config, 'differential') -%}
  {%- set settings = deltawave._read_options(name, config, options) -%}
  {%- do deltawave._check_settings(name, settings, options) -%}
  {%- do settings.update(is_auto=settings.strategy == 'auto', reason='configured') -%}
  {%- if settings.is_auto -%}{%- do settings.update(strategy=deltawave._auto_strategies()[0]) -%}{%- endif -%}
  {%- do deltawave._check_strategy(name, settings, options) -%}
  {%- if settings.relations -%}{%- do settings.update(relations=deltawave._root_first(settings)) -%}{%- endif -%}
  {{ return(settings) }}
{%- endmacro -%}
