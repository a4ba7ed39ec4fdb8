{# Rows of a bag are told apart by all that they hold, and found again by counting: what leaves a part of them out can't go with it. #}
{%- macro _check_multiset(model_name, settings) -%}
  {%- if settings.duplicate_keys == 'multiset' -%}
    {%- for option, allowed in {
      'compare_columns': [none],
      'ignore_columns': [none],
      'tolerance': [none],
      'before_image': ['auto', 'require'],
      'on_schema_change': ['ignore', 'fail'],
      'strategy': ['outer_join', 'auto'],
    }.items() if settings[option] not in allowed -%}
      {%- do deltawave._fail('multiset_option', {
        'model': model_name, 'option': option, 'value': settings[option], 'allowed': allowed | reject('none') | join(' or ') or 'no value',
      }) -%}
    {%- endfor -%}
  {%- endif -%}
{%- endmacro -%}
