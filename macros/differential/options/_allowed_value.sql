{# What a declared option allows, if the given value is not allowed; none if it is. #}
{%- macro _allowed_value(declared, value) -%}
  {%- set values = declared.get('values') or [] -%}
  {%- set is_number = value is number and value is not boolean -%}
  {%- set is_text = value is string and value.strip() != '' -%}
  {%- set is_map = value is mapping -%}
  {%- set span = value.get('for') if is_map else value -%}
  {#- By kind: whether the value is allowed, and what is. -#}
  {%- set kinds = {
    'choice': [value in values, values | reject('none') | map('lower') | join(', ')],
    'name': [is_text, 'a name'],
    'names': [deltawave._are_names(value), 'a name or a list of different names'],
    'columns': [deltawave._are_names(value), 'a column name or a list of different column names'],
    'count': [value is integer and value >= 1, 'a whole number from 1'],
    'days': [value is integer and value >= 0, 'a number of days, from 0'],
    'fraction': [is_number and 0 <= value and value <= 1, 'a number from 0 to 1'],
    'ratio': [is_number and value >= 0, 'a number from 0'],
    'expression': [is_text, 'an SQL expression'],
    'rows': [
      value is integer and value >= 1 or is_text and deltawave._begins_a_select(value),
      'a whole number from 1, or a select that returns one',
    ],
    'overlap': [
      value is integer and value >= 0
      or is_text and deltawave._whole_match('\\d+ (second|minute|hour|day|week)s?', value),
      "a span like '2 hours', or a whole number for a counter",
    ],
    'age': [
      is_map and value | length == 2 and value['count'] is integer and value['count'] >= 1
      and value['period'] in ['minute', 'hour', 'day'],
      'a count from 1 and a period of minute, hour or day, like {count: 1, period: day}',
    ],
    'retention': [
      span is string and deltawave._whole_match('[1-9]\\d* (hour|day|week)s?', span)
      and (not is_map or value | length == 2 and value['clock'] in ['data', 'machine']),
      "a span like '30 days', or {for: 30 days, clock: machine}",
    ],
    'tolerance': [
      is_map and deltawave._are_differences(value.values() if is_map else []),
      'a mapping of column names to the absolute difference that still counts as equal, like {price: 0.01}',
    ],
    'relations': [
      is_map and value | length > 0 and deltawave._are_relations(value),
      'a mapping of change logs to mappings of their columns to columns of the select, like '
      ~ '{orders_changes: {order_id: order_id}}; of a log that is joined more than once, a list of such mappings',
    ],
    'meta_columns': [
      is_map and deltawave._are_meta_columns(values, value),
      'a mapping of some of ' ~ values | join(', ') ~ ' to different names',
    ],
  } -%}
  {%- if declared.is not in kinds -%}
    {%- do exceptions.raise_compiler_error('an option is declared as ' ~ declared.is ~ ', which is not known') -%}
  {%- endif -%}
  {%- set is_allowed, allowed = kinds[declared.is] -%}
  {{ return(none if is_allowed else allowed) }}
{%- endmacro -%}

{# One name or several that differ in more than case? #}
{%- macro _are_names(value) -%}
  {%- set names = deltawave._listed(value) -%}
  {{ return(
    names is not none and names | reject('string') | list == [] and '' not in names | map('trim') | list
    and names | map('lower') | unique | list | length == names | length
  ) }}
{%- endmacro -%}

{# One name or several, as a list; none for anything else. #}
{%- macro _listed(value) -%}
  {%- if value is string -%}{{ return([value]) }}{%- endif -%}
  {{ return(none if value is mapping or value is not iterable else value | list) }}
{%- endmacro -%}

{# Jinja, a comment or a parenthesis may come before the select. #}
{%- macro _begins_a_select(text) -%}
  {{ return(modules.re.match('(?i)\\s*((select|with)\\b|\\{[#%{]|--|/\\*|\\()', text)) }}
{%- endmacro -%}

{%- macro _are_differences(values) -%}
  {%- for difference in values if difference is boolean or difference is not number or difference < 0 -%}
    {{ return(false) }}
  {%- endfor -%}
  {{ return(true) }}
{%- endmacro -%}

{# Of each change log a mapping of its columns; of a log that is joined more than once, a list of such mappings. #}
{%- macro _are_relations(relations) -%}
  {%- for relation, mappings in relations.items() -%}
    {%- if relation is not string or not mappings or mappings is string or mappings is not iterable -%}
      {{ return(false) }}
    {%- endif -%}
    {%- for columns in deltawave._mappings(mappings) -%}
      {%- if columns is not mapping or not columns
          or (columns.keys() | list + columns.values() | list) | reject('string') | list -%}
        {{ return(false) }}
      {%- endif -%}
    {%- endfor -%}
  {%- endfor -%}
  {{ return(true) }}
{%- endmacro -%}

{# Names for some of these columns, all of which then have names that differ in more than case? #}
{%- macro _are_meta_columns(columns, value) -%}
  {%- if value.keys() | reject('in', columns) | list or value.values() | reject('string') | list -%}
    {{ return(false) }}
  {%- endif -%}
  {%- set names = [] -%}
  {%- for column in columns -%}{%- do names.append(value.get(column, column).strip() | lower) -%}{%- endfor -%}
  {{ return('' not in names and names | unique | list | length == names | length) }}
{%- endmacro -%}
