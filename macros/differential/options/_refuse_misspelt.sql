{#
  Refuses keys that nobody reads and that look like one of our options misspelt: dbt silently passes on unknown keys, and a comparison without its
  option is wrong for good. A key of the user's own that is too similar can go under meta, which is not checked.
#}
{%- macro _refuse_misspelt(model_name, config, options) -%}
  {%- set known = options.keys() | list + deltawave._keys_of_dbt() -%}
  {%- for given in config if given not in known and config[given] is not none -%}
    {%- for option in options if deltawave._is_near(given, option) -%}
      {%- do deltawave._fail('misspelt_option', {'model': model_name, 'given': given, 'option': option}) -%}
    {%- endfor -%}
  {%- endfor -%}
{%- endmacro -%}

{#
  Refuses options placed directly under meta instead of meta.deltawave: dbt's own warning about unknown keys sends users there. Exempt are names
  of a single word, which users may need, and options without which the model fails anyway.
#}
{%- macro _refuse_misplaced(model_name, config, options) -%}
  {%- set meta = config.get('meta') or {} -%}
  {%- for given in meta if given != 'deltawave' and meta[given] is mapping and deltawave._is_near(given, 'deltawave') -%}
    {%- do deltawave._fail('misplaced_option', {'model': model_name, 'given': given}) -%}
  {%- endfor -%}
  {%- set read = meta.deltawave or {} -%}
  {%- for option in options if option in meta and '_' in option and option not in read and config.get(option) is none -%}
    {%- if option not in ['unique_key', 'updated_at', 'delete_flag'] -%}
      {%- do deltawave._fail('misplaced_option', {'model': model_name, 'given': option}) -%}
    {%- endif -%}
  {%- endfor -%}
{%- endmacro -%}

{# What dbt and dbt-spark read from a model: none of it counts as misspelt, and most of it is always there. #}
{%- macro _keys_of_dbt() -%}
  {{ return([
    'access', 'alias', 'batch_size', 'begin', 'clustered_by', 'column_types', 'concurrent_batches', 'contract', 'database', 'docs',
    'enabled', 'event_time', 'freshness', 'grants', 'group', 'incremental_strategy', 'location_root', 'lookback', 'materialized',
    'merge_update_columns', 'meta', 'on_configuration_change', 'options', 'packages', 'partition_by', 'persist_docs', 'post-hook',
    'post_hook', 'pre-hook', 'pre_hook', 'quoting', 'schema', 'sql_header', 'static_analysis', 'tags', 'tblproperties',
  ]) }}
{%- endmacro -%}
