{# Refuses missing options that the model's strategy requires, options that it does not read, and values that it does not allow. #}
{%- macro _check_strategy(model_name, settings, options) -%}
  {%- set strategy = deltawave._strategy_named(model_name, settings.strategy) -%}
  {%- for option in strategy.options + strategy.requires.keys() | list + strategy.allows.keys() | list if option not in options -%}
    {%- do deltawave._fail('declared_option', {
      'model': model_name, 'strategy': strategy.name, 'option': option, 'known': options.keys() | sort | join(', '),
    }) -%}
  {%- endfor -%}
  {%- set possible = deltawave._auto_strategies() if settings.is_auto else [strategy.name] -%}
  {%- for option, names in deltawave._strategies_of_options().items() if option in options -%}
    {#- In place the last dump's files have to stay. Only a user knows that they do, and says so for a strategy by its name. -#}
    {%- set is_read = names | select('in', possible) | list and not (settings.is_auto and option == 'in_place') -%}
    {%- if settings[option] != options[option].default and not is_read -%}
      {%- do deltawave._fail('option_of_strategy', {
        'model': model_name, 'option': option, 'strategy': 'auto' if settings.is_auto else strategy.name, 'strategies': names | join(', '),
      }) -%}
    {%- endif -%}
  {%- endfor -%}
  {%- if settings.min_comparisons_before_error != options.min_comparisons_before_error.default and not settings.is_auto -%}
    {%- do deltawave._fail('option_of_strategy', {
      'model': model_name, 'option': 'min_comparisons_before_error', 'strategy': strategy.name, 'strategies': 'auto',
    }) -%}
  {%- endif -%}
  {%- for option, example in strategy.requires.items() if settings[option] is none -%}
    {%- do deltawave._fail('required_by_strategy', {
      'model': model_name, 'strategy': strategy.name, 'option': option, 'example': example,
    }) -%}
  {%- endfor -%}
  {%- set allows = dict(strategy.allows) -%}
  {#- A log that began without its first rows cannot supply before images, and neither can a strategy that takes them from the log. -#}
  {%- if strategy.before_images == 'log' and settings.before_image == 'require' -%}{%- do allows.update(initial_load=['inserts']) -%}{%- endif -%}
  {%- for option, allowed in allows.items() if settings[option] not in allowed -%}
    {%- set able = [] -%}
    {%- set is_advised = option in ['snapshot_date', 'expected_rows', 'on_schema_change', 'duplicate_keys', 'tolerance'] -%}
    {%- for name, other in deltawave._strategies().items() if is_advised -%}
      {%- if not other.requires and settings[option] in other.allows.get(option, [settings[option]]) -%}{%- do able.append(name) -%}{%- endif -%}
    {%- endfor -%}
    {%- do deltawave._fail('option_with_strategy', {
      'model': model_name, 'option': option, 'value': settings[option], 'strategy': strategy.name,
      'allowed': allowed | reject('none') | join(' or ') or 'no value',
      'reason': deltawave._reason_against_value(strategy, option, settings[option]),
      'remedy': 'Take it out' ~ (', or take a strategy that allows it: ' ~ able | join(', ') if able else '') ~ '.',
    }) -%}
  {%- endfor -%}
  {%- if strategy.compares == 'python' or strategy.library -%}{%- do deltawave._require_python(model_name, strategy) -%}{%- endif -%}
  {%- if strategy.check -%}
    {%- do deltawave._macro_named(strategy.check)(model_name, settings) -%}
  {%- endif -%}
{%- endmacro -%}

{# The reason for which a strategy does not allow a value, to follow "it takes ...". #}
{%- macro _reason_against_value(strategy, option, value) -%}
  {%- set reasons = {
    'snapshot_date': 'since the strategy compares the select as one dump',
    'expected_rows': 'since the strategy reads only a part of the rows',
    'on_schema_change': 'since the strategy reads only a part of the rows, and the others would have no value in a new column',
    'multiset': 'since the strategy finds rows by their keys',
    'quarantine': 'since the strategy reads a row only when that has changed, so rows that were set aside would not come back' if strategy.reads != 'dump',
    'tolerance': 'since the strategy compares checksums, which differ after the smallest change',
    'initial_load': 'since the strategy takes before images from the log, which would not hold the first rows',
    'remote': 'since the strategy reads change logs',
    'hint': 'since the strategy decides how rows are joined',
  } -%}
  {%- set reason = reasons.get(value if option == 'duplicate_keys' else option) -%}
  {{ return(', ' ~ reason if reason else '') }}
{%- endmacro -%}

{#
  The options that only some strategies read: {option: [strategies]}. A project's strategy may also name options that all strategies read, for its
  Python function; these are left out, since none of our strategies names them.
#}
{%- macro _strategies_of_options() -%}
  {%- set special = [] -%}
  {%- for strategy in deltawave.default___strategies().values() -%}{%- do special.extend(strategy.options) -%}{%- endfor -%}
  {%- set general = deltawave.default___options().keys() | reject('in', special) | list -%}
  {%- set owners = {} -%}
  {%- for name, strategy in deltawave._strategies().items() -%}
    {%- for option in strategy.options if option not in general -%}{%- do owners.setdefault(option, []).append(name) -%}{%- endfor -%}
  {%- endfor -%}
  {{ return(owners) }}
{%- endmacro -%}
