{# The options of a table that follows a change log, declared like those of a differential model (see _options). #}
{%- macro _follower_options(kind) -%}
  {%- set options = {} -%}
  {%- for option in ['unique_key', 'file_format', 'state_schema', 'full_refresh'] -%}
    {%- do options.update({option: deltawave._options()[option]}) -%}
  {%- endfor -%}
  {%- if kind == 'scd2' -%}
    {%- do options.update({
      'retain': deltawave._options()['retain'],
      'track_columns': {'default': none, 'is': 'columns'},
      'hard_deletes': {'default': 'invalidate', 'is': 'choice', 'values': ['invalidate', 'ignore', 'new_record']},
      'dbt_valid_to_current': {'default': none, 'is': 'expression'},
      'snapshot_meta_column_names': {'default': none, 'is': 'meta_columns', 'values': deltawave._meta_columns().keys() | list},
    }) -%}
  {%- endif -%}
  {{ return(options) }}
{%- endmacro -%}

{# The only reader of such a model's configuration; needs no connection. #}
{%- macro _follower_settings(name, config) -%}
  {%- set kind = config.materialized -%}
  {%- set options = deltawave._follower_options(kind) -%}
  {%- do deltawave._refuse_snapshot_options(name, config, kind) -%}
  {%- set settings = deltawave._read_options(name, config, options) -%}
  {%- do settings.update(kind=kind) -%}
  {%- if kind == 'scd2' -%}
    {%- set names = {} -%}
    {%- for name in deltawave._meta_columns() if name != 'dbt_is_deleted' or settings.hard_deletes == 'new_record' -%}
      {%- do names.update({name: (settings.snapshot_meta_column_names or {}).get(name, name)}) -%}
    {%- endfor -%}
    {%- do settings.update(snapshot_meta_column_names=names) -%}
  {%- endif -%}
  {{ return(settings) }}
{%- endmacro -%}
