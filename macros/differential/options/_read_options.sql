{#
  The values of a model's options, from meta or the top level of its configuration. Each option has a default; keys
  that look meant for us but that nobody reads, and invalid values, are refused.
#}
{%- macro _read_options(name, config, options) -%}
  {%- do deltawave._refuse_misspelt(name, config, options) -%}
  {%- set settings = {} -%}
  {%- for option, declared in options.items() -%}
    {%- set given = deltawave._given(name, config, option) -%}
    {%- set value = declared.default if given is none else given -%}
    {%- set allowed = deltawave._allowed_value(declared, value) if value != declared.default else none -%}
    {%- if allowed -%}
      {%- do deltawave._refuse_option(name, option, value, allowed) -%}
    {%- endif -%}
    {%- do settings.update({
      option: deltawave._listed(value) if declared.is in ['names', 'columns'] and value is not none else value
    }) -%}
  {%- endfor -%}
  {{ return(settings) }}
{%- endmacro -%}

{#
  The value that a model gives for an option, directly under meta or at the top level; none if it gives none. Under
  meta dbt takes any key, and merges a folder's with a model's key by key.
#}
{%- macro _given(name, config, option) -%}
  {%- set under_meta = (config.get('meta') or {}).get(option) -%}
  {%- set at_top = config.get(option) -%}
  {#- dbt 1 gives each model a value at the top level, which may be the model's own: nothing tells which goes first. -#}
  {%- if option == 'on_schema_change' and under_meta is not none -%}
    {%- do deltawave._fail('option_of_dbt', {'model': name, 'option': option}) -%}
  {%- endif -%}
  {%- if under_meta is not none and at_top is not none and under_meta != at_top -%}
    {#- A name is the same as a list of it. -#}
    {%- set listed = deltawave._listed(under_meta) -%}
    {%- if listed is none or listed != deltawave._listed(at_top) -%}
      {%- do deltawave._fail('option_twice', {
        'model': name, 'option': option, 'under_meta': under_meta, 'at_top': at_top,
      }) -%}
    {%- endif -%}
  {%- endif -%}
  {{ return(at_top if under_meta is none else under_meta) }}
{%- endmacro -%}
