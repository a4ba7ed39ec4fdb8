{#
  The only reader of a differential model's configuration. Options come from meta: {deltawave: {...}} first, then from the top level; each has a
  default, and invalid values are refused. Needs no connection, so the adapter can check before any statement runs.
#}
{%- macro _differential_settings(name, config) -%}
  {%- set options = deltawave._options() -%}
  {%- do deltawave._refuse_unknown(name, config, options) -%}
  {%- set settings = {} -%}
  {%- for option, declared in options.items() -%}
    {%- set value = deltawave._given(config, option) -%}
    {%- set value = declared.default if value is none else value -%}
    {%- do deltawave._check_option(name, option, declared, value) -%}
    {%- do settings.update({option: deltawave._listed(value) if declared.is in ['names', 'columns'] and value is not none else value}) -%}
  {%- endfor -%}
  {%- do deltawave._check_settings(name, settings, options) -%}
  {%- do settings.update(is_auto=settings.strategy == 'auto', reason='configured') -%}
  {%- if settings.is_auto -%}{%- do settings.update(strategy=deltawave._auto_strategies()[0]) -%}{%- endif -%}
  {%- do deltawave._check_strategy(name, settings, options) -%}
  {%- if settings.relations -%}{%- do settings.update(relations=deltawave._root_first(settings)) -%}{%- endif -%}
  {{ return(settings) }}
{%- endmacro -%}

{# The value that a model gives for an option; none if it gives none. #}
{%- macro _given(config, option) -%}
  {%- set meta = (config.get('meta') or {}).get('deltawave') or {} -%}
  {{ return(meta[option] if option in meta else config.get(option)) }}
{%- endmacro -%}

{# Refuses configuration keys that look meant for us but that nobody reads. #}
{%- macro _refuse_unknown(name, config, options) -%}
  {%- set meta = (config.get('meta') or {}).get('deltawave') or {} -%}
  {%- set retired = deltawave._given(config, 'covering_copy') -%}
  {%- if retired -%}
    {%- do deltawave._fail('covering_copy', {'model': name, 'copy': retired}) -%}
  {%- endif -%}
  {%- for option in meta if option not in options -%}
    {%- do deltawave._fail('unknown_option', {'model': name, 'option': option, 'known': options.keys() | sort | join(', ')}) -%}
  {%- endfor -%}
  {%- do deltawave._refuse_misspelt(name, config, options) -%}
  {%- do deltawave._refuse_misplaced(name, config, options) -%}
{%- endmacro -%}
