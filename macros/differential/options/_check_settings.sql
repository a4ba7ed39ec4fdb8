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
  {%- for option, declared in options.items() if declared.meaning and settings[option] and settings[option] | lower in keys -%}
    {%- do deltawave._fail('control_in_key', {
      'model': model_name, 'column': settings[option], 'meaning': declared.meaning, 'option': option,
    }) -%}
  {%- endfor -%}
  {#- The state needs the row's last row_id: rows are found by it after a change of their key. -#}
  {%- if settings.row_id and not deltawave._is_compared_exactly(settings, settings.row_id) -%}
    {%- do deltawave._fail('row_id_uncompared', {'model': model_name, 'column': settings.row_id}) -%}
  {%- endif -%}
  {%- for option, allowed in deltawave._allowed_with_multiset().items() if settings.duplicate_keys == 'multiset' and settings[option] not in allowed -%}
    {%- do deltawave._fail('multiset_option', {
      'model': model_name, 'option': option, 'value': settings[option], 'allowed': allowed | reject('none') | join(' or ') or 'no value',
    }) -%}
  {%- endfor -%}
{%- endmacro -%}

{#
  The values that options may have with duplicate_keys: multiset. Rows of a bag are distinguished by all of their values, and matched by counting: options
  that leave out some values do not work with it.
#}
{%- macro _allowed_with_multiset() -%}
  {{ return({
    'compare_columns': [none],
    'ignore_columns': [none],
    'tolerance': [none],
    'before_image': ['auto', 'require'],
    'on_schema_change': ['ignore', 'fail'],
  }) }}
{%- endmacro -%}
