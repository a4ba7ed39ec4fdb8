{# Refuses what the strategy lacks of the options that it requires, options that it does not read, and their values. #}
{%- macro _check_strategy(model_name, settings, options) -%}
  {%- set strategy = deltawave._strategy_named(model_name, settings.strategy) -%}
  {%- for option in strategy.options + strategy.requires.keys() | list + strategy.allows.keys() | list
      if option not in options -%}
    {%- do deltawave._fail('declared_option', {
      'model': model_name, 'strategy': strategy.name, 'option': option, 'known': options.keys() | sort | join(', '),
    }) -%}
  {%- endfor -%}
  {%- set possible = deltawave._auto_strategies() if settings.is_auto else [strategy.name] -%}
  {%- for option, names in deltawave._strategies_of_options().items() if option in options -%}
    {%- if settings[option] != options[option].default and not names | select('in', possible) | list -%}
      {%- do deltawave._fail('option_of_strategy', {
        'model': model_name, 'option': option, 'strategy': 'auto' if settings.is_auto else strategy.name,
        'strategies': names | join(', '),
      }) -%}
    {%- endif -%}
  {%- endfor -%}
  {%- for option, example in strategy.requires.items() if settings[option] is none -%}
    {%- do deltawave._fail('required_by_strategy', {
      'model': model_name, 'strategy': strategy.name, 'option': option, 'example': example,
    }) -%}
  {%- endfor -%}
  {%- set allows = dict(strategy.allows) -%}
  {#-
    A log that began without its first rows cannot supply before images, and neither can a strategy that takes them
    from the log.
  -#}
  {%- if strategy.before_images == 'log' and settings.before_image == 'require' -%}
    {%- do allows.update(initial_load=['inserts']) -%}
  {%- elif strategy.before_images == 'log' and settings.tolerance and not settings.is_auto -%}
    {%- do allows.update(initial_load=['inserts'], before_image=['auto', 'require']) -%}
  {%- endif -%}
  {%- for option, allowed in allows.items() if settings[option] not in allowed -%}
    {%- set able = [] -%}
    {%- set advised = ['snapshot_date', 'expected_rows', 'on_schema_change', 'duplicate_keys', 'tolerance'] -%}
    {%- for name, other in deltawave._strategies().items() if option in advised and not other.requires
        and settings[option] in other.allows.get(option, [settings[option]]) -%}
      {%- do able.append(name) -%}
    {%- endfor -%}
    {%- do deltawave._fail('option_with_strategy', {
      'model': model_name, 'option': option, 'value': settings[option], 'strategy': strategy.name,
      'allowed': allowed | reject('none') | join(' or ') or 'no value',
      'reason': deltawave._reason_against_value(strategy, option, settings[option]),
      'remedy': 'Take it out' ~ (', or take a strategy that allows it: ' ~ able | join(', ') if able else '') ~ '.',
    }) -%}
  {%- endfor -%}
  {%- if strategy.compares == 'python' or strategy.library and not strategy.elsewhere -%}
    {%- do deltawave._require_python(model_name, strategy) -%}
  {%- endif -%}
  {%- if strategy.check -%}{%- do deltawave._macro_named(strategy.check)(model_name, settings) -%}{%- endif -%}
{%- endmacro -%}

{# The reason for which a strategy does not allow a value, to follow "it takes ...". #}
{%- macro _reason_against_value(strategy, option, value) -%}
  {%- set reasons = {
    'snapshot_date': 'since the strategy compares the select as one dump',
    'expected_rows': 'since the strategy reads only a part of the rows',
    'on_schema_change': 'since the strategy reads only a part of the rows, and the others would have no value in a new column',
    'multiset': 'since the strategy finds rows by their keys',
    'quarantine': 'since the strategy reads a row only when that has changed, so rows that were set aside would not come back' if strategy.reads != 'dump',
    'before_image': 'since within a tolerance the strategy compares with the rows in the log',
    'initial_load': 'since the strategy takes before images from the log, which would not hold the first rows',
    'remote': 'since the strategy reads change logs',
  } -%}
  {%- set reason = reasons.get(value if option == 'duplicate_keys' else option) -%}
  {{ return(', ' ~ reason if reason else '') }}
{%- endmacro -%}

{#
  The options that only some strategies read: {option: [strategies]}. A project's strategy may also name options that
  all strategies read, for its Python function; these are left out, since none of our strategies names them.
#}
{%- macro _strategies_of_options() -%}
  {%- set special = [] -%}
  {%- for strategy in deltawave.default___strategies().values() -%}
    {%- do special.extend(strategy.options) -%}
  {%- endfor -%}
  {%- set general = deltawave.default___options().keys() | reject('in', special) | list -%}
  {%- set owners = {} -%}
  {%- for name, strategy in deltawave._strategies().items() -%}
    {%- for option in strategy.options if option not in general -%}
      {%- do owners.setdefault(option, []).append(name) -%}
    {%- endfor -%}
  {%- endfor -%}
  {{ return(owners) }}
{%- endmacro -%}

{# Refuses options that contradict each other, whatever the strategy. #}
{%- macro _check_settings(model_name, settings, options) -%}
  {%- if not settings.unique_key -%}
    {%- do deltawave._fail('required', {'model': model_name, 'option': 'unique_key', 'example': '[account_id]'}) -%}
  {%- endif -%}
  {%- if settings.compare_columns is not none and settings.ignore_columns is not none -%}
    {%- do deltawave._fail('compare_and_ignore', {'model': model_name}) -%}
  {%- endif -%}
  {%- set keys = settings.unique_key | map('lower') | list -%}
  {%- if settings.snapshot_date and settings.snapshot_date | lower in keys -%}
    {%- do deltawave._fail('date_in_key', {'model': model_name, 'column': settings.snapshot_date}) -%}
  {%- endif -%}
  {%- set of_dates = ['snapshot_order', 'warn_after', 'every', 'expected_rows', 'redelivery'] -%}
  {%- for option in of_dates if settings[option] != options[option].default and not settings.snapshot_date -%}
    {%- if option != 'expected_rows' or '{snapshot_date}' in settings.expected_rows | string -%}
      {%- do deltawave._fail('without_dates', {'model': model_name, 'option': option, 'value': settings[option]}) -%}
    {%- endif -%}
  {%- endfor -%}
  {%- for option in ['warn_after', 'every'] if settings[option] is not none and settings.snapshot_order -%}
    {%- do deltawave._fail('option_of_dates', {
      'model': model_name, 'option': option, 'value': settings[option], 'order': settings.snapshot_order,
    }) -%}
  {%- endfor -%}
  {%- for option, declared in options.items() if declared.meaning and settings[option]
      and settings[option] | lower in keys -%}
    {%- do deltawave._fail('control_in_key', {
      'model': model_name, 'column': settings[option], 'meaning': declared.meaning, 'option': option,
    }) -%}
  {%- endfor -%}
  {#- erased: skip leaves rows out of the select. -#}
  {%- set unskippable = ['remote', 'expected_rows', 'redelivery'] if settings.erased == 'skip' else [] -%}
  {%- for other in unskippable + (['initial_load'] if settings.retain else [])
      if settings[other] != options[other].default -%}
    {%- do deltawave._fail('removal_option', {
      'model': model_name, 'option': 'retain' if other == 'initial_load' else 'erased: skip',
      'other': other, 'value': settings[other],
    }) -%}
  {%- endfor -%}
  {#- The state needs the row's last row_id: rows are found by it after a change of their key. -#}
  {%- if settings.row_id and not deltawave._is_compared_exactly(settings, settings.row_id) -%}
    {%- do deltawave._fail('row_id_uncompared', {'model': model_name, 'column': settings.row_id}) -%}
  {%- endif -%}
  {%- if settings.duplicate_keys == 'multiset' -%}
    {%- for option, allowed in deltawave._allowed_with_multiset().items() if settings[option] not in allowed -%}
      {%- do deltawave._fail('multiset_option', {
        'model': model_name, 'option': option, 'value': settings[option],
        'allowed': allowed | reject('none') | join(' or ') or 'no value',
      }) -%}
    {%- endfor -%}
  {%- endif -%}
{%- endmacro -%}

{#
  The values that options may have with duplicate_keys: multiset. Rows of a bag are distinguished by all of their
  values, and matched by counting: options that leave out some values do not work with it.
#}
{%- macro _allowed_with_multiset() -%}
  {{ return({
    'compare_columns': [none], 'ignore_columns': [none], 'tolerance': [none], 'before_image': ['auto', 'require'],
    'on_schema_change': ['ignore', 'fail'],
  }) }}
{%- endmacro -%}

{#
  Stops a model whose strategy needs Python if the adapter cannot run Python (stock dbt-spark), or if the strategy's
  function is missing or takes other arguments. Does not start Spark.
#}
{%- macro _require_python(model_name, strategy) -%}
  {%- set function = strategy.library ~ '.differing_pairs' if strategy.library else strategy.comparison -%}
  {%- if adapter.view_by_python is not defined -%}
    {%- do deltawave._fail('python_adapter', {'model': model_name, 'function': function}) -%}
  {%- endif -%}
  {%- set of_log = ['logged', 'logged_partitions', 'first_batch', 'same_rows', 'marks'] -%}
  {%- set of_hashes = ['kept', 'patches', 'new', 'unique_key', 'columns', 'rows'] + of_log -%}
  {%- set of_comparison = ['old', 'new', 'unique_key', 'columns', 'before_image'] -%}
  {%- set arguments = of_hashes if strategy.library else of_comparison -%}
  {%- do adapter.check_library_function(function, arguments + strategy.options) -%}
{%- endmacro -%}
