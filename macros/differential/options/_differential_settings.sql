{#
  The one reader of a differential model's configuration: options come from meta: {deltawave: {...}} first, then from the top
  level; each has its default, and a value that can't be is refused. Needs no connection, so the adapter checks with it before
  Spark starts.
#}
{%- macro _differential_settings(name, config) -%}
  {%- set meta = (config.get('meta') or {}).get('deltawave') or {} -%}
  {%- set defaults = deltawave._differential_defaults() -%}
  {%- set retired = meta.covering_copy or config.get('covering_copy') -%}
  {%- if retired -%}
    {%- do deltawave._fail('covering_copy', {'model': name, 'copy': retired}) -%}
  {%- endif -%}
  {%- for option in meta if option not in defaults -%}
    {%- do deltawave._fail('unknown_option', {'model': name, 'option': option, 'known': defaults.keys() | sort | join(', ')}) -%}
  {%- endfor -%}
  {%- do deltawave._refuse_misspelt(name, config) -%}
  {%- do deltawave._refuse_misplaced(name, config) -%}

  {%- set settings = {} -%}
  {%- for option, default in defaults.items() -%}
    {%- set value = meta[option] if option in meta else config.get(option) -%}
    {%- do settings.update({option: default if value is none else value}) -%}
  {%- endfor -%}

  {%- if not settings.unique_key -%}
    {%- do deltawave._fail('required', {'model': name, 'option': 'unique_key', 'example': '[account_id]'}) -%}
  {%- endif -%}
  {%- for option in ['unique_key', 'compare_columns', 'ignore_columns'] if settings[option] is not none -%}
    {%- do settings.update({option: deltawave._name_list(name, option, settings[option])}) -%}
  {%- endfor -%}
  {%- if settings.compare_columns is not none and settings.ignore_columns is not none -%}
    {%- do deltawave._fail('compare_and_ignore', {'model': name}) -%}
  {%- endif -%}

  {%- for option, allowed in deltawave._differential_choices().items() if settings[option] not in allowed -%}
    {%- do deltawave._fail('option_value', {
      'model': name, 'option': option, 'value': settings[option], 'allowed': allowed | reject('none') | map('lower') | join(', '),
    }) -%}
  {%- endfor -%}
  {%- for option in ['snapshot_date', 'state_schema', 'updated_at', 'delete_flag', 'row_id', 'remote', 'root'] -%}
    {%- set value = settings[option] -%}
    {%- if value is not none and not (value is string and value.strip()) -%}
      {%- do deltawave._fail('option_value', {'model': name, 'option': option, 'value': value, 'allowed': 'a name'}) -%}
    {%- endif -%}
  {%- endfor -%}
  {%- if settings.snapshot_date and settings.snapshot_date | lower in settings.unique_key | map('lower') -%}
    {%- do deltawave._fail('date_in_key', {'model': name, 'column': settings.snapshot_date}) -%}
  {%- endif -%}
  {%- set fraction = settings.max_delete_fraction -%}
  {%- if fraction is boolean or fraction is not number or not 0 <= fraction <= 1 -%}
    {%- do deltawave._fail('option_value', {'model': name, 'option': 'max_delete_fraction', 'value': fraction, 'allowed': 'a number from 0 to 1'}) -%}
  {%- endif -%}
  {%- if settings.buckets is not none and (settings.buckets is not integer or settings.buckets is boolean or settings.buckets < 1) -%}
    {%- do deltawave._fail('option_value', {'model': name, 'option': 'buckets', 'value': settings.buckets, 'allowed': 'a whole number from 1'}) -%}
  {%- endif -%}
  {%- do deltawave._check_tolerance(name, settings.tolerance) -%}
  {%- do deltawave._check_multiset(name, settings) -%}
  {%- do deltawave._check_strategy(name, settings) -%}
  {%- if settings.relations -%}{%- do settings.update(relations=deltawave._root_first(settings)) -%}{%- endif -%}

  {%- do settings.update(deltawave._chosen_strategy(settings.strategy)) -%}
  {{ return(settings) }}
{%- endmacro -%}

{%- macro _differential_defaults() -%}
  {{ return({
    'unique_key': none,
    'strategy': 'outer_join',
    'updated_at': none,
    'delete_flag': none,
    'overlap': none,
    'null_timestamp': 'fail',
    'future_timestamp': 'warn',
    'row_id': none,
    'range_rows': none,
    'ranges_per_run': none,
    'range_pause': none,
    'checksum_bits': 64,
    'relations': none,
    'root': none,
    'constant_relations': none,
    'hint': none,
    'compare_columns': none,
    'ignore_columns': none,
    'tolerance': none,
    'before_image': 'auto',
    'duplicate_keys': 'fail',
    'on_schema_change': 'ignore',
    'max_delete_fraction': 0.5,
    'allow_empty': false,
    'snapshot_date': none,
    'initial_load': 'inserts',
    'state_schema': none,
    'remote': none,
    'file_format': 'parquet',
    'copy_format': 'parquet',
    'buckets': none,
    'full_refresh': none,
  }) }}
{%- endmacro -%}

{%- macro _differential_choices() -%}
  {{ return({
    'strategy': ['outer_join', 'union', 'auto'] + deltawave._slice_strategies(),
    'null_timestamp': ['fail', 'insert'],
    'future_timestamp': ['warn', 'fail', 'accept'],
    'checksum_bits': [64, 128],
    'hint': [none, 'merge', 'shuffle_hash', 'broadcast'],
    'before_image': ['auto', 'require', 'none'],
    'duplicate_keys': ['fail', 'quarantine', 'multiset'],
    'on_schema_change': ['ignore', 'fail', 'append_new_columns', 'sync_all_columns'],
    'allow_empty': [false, true],
    'initial_load': ['inserts', 'baseline'],
    'file_format': ['parquet', 'delta', 'iceberg'],
    'copy_format': ['parquet', 'delta', 'iceberg'],
    'full_refresh': [none, false, true],
  }) }}
{%- endmacro -%}
