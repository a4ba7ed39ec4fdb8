{#
  The strategies that compare a slice of the table a run, or read a slice of it: what is outside the slice stays as it is. The others
  compare the whole dump.
#}
{%- macro _slice_strategies() -%}
  {{ return(['timestamp', 'timestamp_delete_flag', 'row_checksum', 'ranges', 'range_checksum', 'view']) }}
{%- endmacro -%}

{# The options that only some strategies read: {option: [strategies]}. #}
{%- macro _strategy_options() -%}
  {%- set by_time = ['timestamp', 'timestamp_delete_flag'] -%}
  {{ return({
    'updated_at': by_time,
    'delete_flag': ['timestamp_delete_flag'],
    'overlap': by_time,
    'null_timestamp': by_time,
    'future_timestamp': by_time,
    'row_id': by_time,
    'range_rows': deltawave._slice_strategies() | reject('equalto', 'row_checksum') | list,
    'ranges_per_run': ['ranges', 'range_checksum'],
    'range_pause': ['ranges', 'range_checksum'],
    'checksum_bits': ['row_checksum', 'range_checksum'],
    'relations': ['view'],
    'root': ['view'],
    'constant_relations': ['view'],
  }) }}
{%- endmacro -%}

{# Refuses what a strategy needs and does not get, what it does not read, and what does not go with slices. #}
{%- macro _check_strategy(model_name, settings) -%}
  {%- set strategy = settings.strategy -%}
  {%- set defaults = deltawave._differential_defaults() -%}
  {%- for option, strategies in deltawave._strategy_options().items() if settings[option] != defaults[option] and strategy not in strategies -%}
    {%- do deltawave._fail('option_of_strategy', {
      'model': model_name, 'option': option, 'strategy': strategy, 'strategies': strategies | join(', '),
    }) -%}
  {%- endfor -%}
  {%- set required = {
    'timestamp': {'updated_at': 'changed_at'},
    'timestamp_delete_flag': {'updated_at': 'changed_at', 'delete_flag': 'is_deleted'},
    'view': {'relations': '{orders_changes: {order_id: order_id}}', 'root': 'orders_changes'},
  } -%}
  {%- for option, example in required.get(strategy, {}).items() if settings[option] is none -%}
    {%- do deltawave._fail('required_by_strategy', {
      'model': model_name, 'strategy': strategy, 'option': option, 'example': example,
    }) -%}
  {%- endfor -%}
  {%- if strategy in deltawave._slice_strategies() -%}
    {%- set fitting = {
      'snapshot_date': [none],
      'duplicate_keys': ['fail', 'quarantine'],
      'on_schema_change': ['ignore', 'fail'],
    } -%}
    {#- A row that was set aside and is not touched again would never be read again. -#}
    {%- if settings.updated_at or strategy == 'view' -%}{%- do fitting.update(duplicate_keys=['fail']) -%}{%- endif -%}
    {#- Change logs are not at the remote. -#}
    {%- if strategy == 'view' -%}{%- do fitting.update(remote=[none]) -%}{%- endif -%}
    {%- if strategy == 'row_checksum' -%}
      {%- do fitting.update(tolerance=[none], duplicate_keys=['fail']) -%}
      {%- if settings.before_image == 'require' -%}{%- do fitting.update(initial_load=['inserts']) -%}{%- endif -%}
    {%- endif -%}
    {%- for option, allowed in fitting.items() if settings[option] not in allowed -%}
      {%- do deltawave._fail('slice_option', {
        'model': model_name, 'option': option, 'value': settings[option], 'strategy': strategy,
        'allowed': allowed | reject('none') | join(' or ') or 'no value',
      }) -%}
    {%- endfor -%}
    {%- do deltawave._check_time_options(model_name, settings) -%}
    {%- if strategy == 'view' -%}
      {%- do deltawave._check_relations(model_name, settings) -%}
      {%- do settings.update(constant_relations=deltawave._constant_names(model_name, settings)) -%}
    {%- endif -%}
    {%- for option in ['range_rows', 'ranges_per_run'] -%}
      {%- set value = settings[option] -%}
      {%- if value is not none and (value is boolean or value is not integer or value < 1) -%}
        {%- do deltawave._fail('option_value', {'model': model_name, 'option': option, 'value': value, 'allowed': 'a whole number from 1'}) -%}
      {%- endif -%}
    {%- endfor -%}
    {%- set pause = settings.range_pause -%}
    {%- if pause is not none and (pause is boolean or pause is not number or pause < 0) -%}
      {%- do deltawave._fail('option_value', {'model': model_name, 'option': 'range_pause', 'value': pause, 'allowed': 'seconds, a number from 0'}) -%}
    {%- endif -%}
  {%- endif -%}
{%- endmacro -%}

{%- macro _check_time_options(model_name, settings) -%}
  {%- set overlap = settings.overlap -%}
  {%- set is_span = overlap is string and modules.re.fullmatch('\\d+ (second|minute|hour|day|week)s?', overlap) -%}
  {%- set is_count = overlap is integer and overlap is not boolean and overlap >= 0 -%}
  {%- if overlap is not none and not is_span and not is_count -%}
    {%- do deltawave._fail('option_value', {
      'model': model_name, 'option': 'overlap', 'value': overlap, 'allowed': "a span like '2 hours', or a whole number for a counter",
    }) -%}
  {%- endif -%}
  {%- for option, says in {'updated_at': 'when a row was touched', 'delete_flag': 'whether a row is deleted'}.items() -%}
    {%- set column = settings[option] -%}
    {%- if column and column | lower in settings.unique_key | map('lower') -%}
      {%- do deltawave._fail('control_in_key', {'model': model_name, 'column': column, 'says': says, 'option': option}) -%}
    {%- endif -%}
  {%- endfor -%}
{%- endmacro -%}
