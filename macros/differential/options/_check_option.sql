{# Refuses a value that the option does not take. #}
{%- macro _check_option(model_name, option, declared, value) -%}
  {%- if value != declared.default -%}
    {%- set allowed = deltawave._allowed_value(declared, value) -%}
    {%- if allowed -%}
      {%- do deltawave._fail('option_value', {
        'model': model_name, 'option': option, 'value': value, 'allowed': allowed,
      }) -%}
    {%- endif -%}
  {%- endif -%}
{%- endmacro -%}

{# What a declared option allows, if the given value is not allowed; none if it is. #}
{%- macro _allowed_value(declared, value) -%}
  {%- set kind = declared.is -%}
  {%- set is_number = value is number and value is not boolean -%}
  {%- if kind == 'choice' -%}
    {{ return(
      none if value in declared['values'] else declared['values'] | reject('none') | map('lower') | join(', ')
    ) }}
  {%- elif kind == 'name' -%}
    {{ return(none if value is string and value.strip() else 'a name') }}
  {%- elif kind in ['names', 'columns'] -%}
    {{ return(deltawave._allowed_names(value, 'column name' if kind == 'columns' else 'name')) }}
  {%- elif kind == 'count' -%}
    {{ return(none if is_number and value is integer and value >= 1 else 'a whole number from 1') }}
  {%- elif kind == 'rows' -%}
    {%- set is_count = is_number and value is integer and value >= 1 -%}
    {#- Jinja, a comment or a parenthesis may come before the select. -#}
    {%- set is_select = value is string
        and modules.re.match('(?i)\\s*((select|with)\\b|\\{[#%{]|--|/\\*|\\()', value) -%}
    {{ return(none if is_count or is_select else 'a whole number from 1, or a select that returns one') }}
  {%- elif kind == 'days' -%}
    {{ return(none if is_number and value is integer and value >= 0 else 'a number of days, from 0') }}
  {%- elif kind == 'fraction' -%}
    {{ return(none if is_number and 0 <= value and value <= 1 else 'a number from 0 to 1') }}
  {%- elif kind == 'ratio' -%}
    {{ return(none if is_number and value >= 0 else 'a number from 0') }}
  {%- elif kind == 'overlap' -%}
    {%- set is_span = value is string and deltawave._whole_match('\\d+ (second|minute|hour|day|week)s?', value) -%}
    {%- set is_count = is_number and value is integer and value >= 0 -%}
    {{ return(none if is_span or is_count else "a span like '2 hours', or a whole number for a counter") }}
  {%- elif kind == 'age' -%}
    {{ return(deltawave._allowed_age(value)) }}
  {%- elif kind == 'retention' -%}
    {{ return(deltawave._allowed_retention(value)) }}
  {%- elif kind == 'tolerance' -%}
    {{ return(deltawave._allowed_tolerance(value)) }}
  {%- elif kind == 'relations' -%}
    {{ return(deltawave._allowed_relations(value)) }}
  {%- elif kind == 'expression' -%}
    {{ return(none if value is string and value.strip() else 'an SQL expression') }}
  {%- elif kind == 'meta_columns' -%}
    {{ return(deltawave._allowed_meta_columns(declared['values'], value)) }}
  {%- endif -%}
  {%- do exceptions.raise_compiler_error(
    'an option is declared as ' ~ kind ~ ', for which _allowed_value has no check'
  ) -%}
{%- endmacro -%}

{# A name, or a list of names that differ in more than case. #}
{%- macro _allowed_names(value, kind) -%}
  {%- set names = deltawave._listed(value) -%}
  {%- if names is none -%}
    {{ return('a ' ~ kind ~ ' or a list of them') }}
  {%- endif -%}
  {%- set known = [] -%}
  {%- for name in names -%}
    {%- if name is not string or not name.strip() or name | lower in known -%}
      {{ return('a ' ~ kind ~ ' or a list of different ' ~ kind ~ 's') }}
    {%- endif -%}
    {%- do known.append(name | lower) -%}
  {%- endfor -%}
  {{ return(none) }}
{%- endmacro -%}

{# One name or several, as a list; none for anything else. #}
{%- macro _listed(value) -%}
  {%- if value is string -%}
    {{ return([value]) }}
  {%- endif -%}
  {{ return(none if value is mapping or value is not iterable else value | list) }}
{%- endmacro -%}

{# An age in the words of dbt's source freshness. #}
{%- macro _allowed_age(value) -%}
  {%- set has_keys = value is mapping and value | length == 2 and 'count' in value and 'period' in value -%}
  {%- set is_count = has_keys and value['count'] is integer and value['count'] >= 1 -%}
  {%- if is_count and value['period'] in ['minute', 'hour', 'day'] -%}{{ return(none) }}{%- endif -%}
  {{ return('a count from 1 and a period of minute, hour or day, like {count: 1, period: day}') }}
{%- endmacro -%}

{# A span, or a mapping of it and of the clock that measures it. #}
{%- macro _allowed_retention(value) -%}
  {%- set span = value.get('for') if value is mapping else value -%}
  {%- set is_span = span is string and deltawave._whole_match('[1-9]\\d* (hour|day|week)s?', span) -%}
  {%- set is_clock = value is not mapping
      or (value.keys() | sort == ['clock', 'for'] and value['clock'] in ['data', 'machine']) -%}
  {{ return(none if is_span and is_clock else "a span like '30 days', or {for: 30 days, clock: machine}") }}
{%- endmacro -%}

{%- macro _allowed_tolerance(value) -%}
  {%- set allowed = 'a mapping of column names to the absolute difference that still counts as equal, like {price: 0.01}' -%}
  {%- if value is not mapping -%}
    {{ return(allowed) }}
  {%- endif -%}
  {%- for difference in value.values() if difference is boolean or difference is not number or difference < 0 -%}
    {{ return(allowed) }}
  {%- endfor -%}
  {{ return(none) }}
{%- endmacro -%}

{#
  A mapping of change logs to mappings of their columns; a log that is joined more than once has a list of such
  mappings.
#}
{%- macro _allowed_relations(value) -%}
  {%- set allowed = [
    'a mapping of change logs to mappings of their columns to columns of the select, like {orders_changes: {order_id: order_id}}',
    'of a log that is joined more than once, a list of such mappings',
  ] | join('; ') -%}
  {%- if value is not mapping or not value -%}
    {{ return(allowed) }}
  {%- endif -%}
  {%- for relation, mappings in value.items() -%}
    {%- if relation is not string or not mappings or mappings is string or mappings is not iterable -%}
      {{ return(allowed) }}
    {%- endif -%}
    {%- for columns in deltawave._mappings(mappings) -%}
      {%- if columns is not mapping or not columns
          or (columns.keys() | list + columns.values() | list) | reject('string') | list -%}
        {{ return(allowed) }}
      {%- endif -%}
    {%- endfor -%}
  {%- endfor -%}
  {{ return(none) }}
{%- endmacro -%}

{# A mapping of some columns to their names, which differ in more than case. #}
{%- macro _allowed_meta_columns(columns, value) -%}
  {%- set allowed = 'a mapping of some of ' ~ columns | join(', ') ~ ' to different names' -%}
  {%- if value is not mapping or value.keys() | reject('in', columns) | list
      or value.values() | reject('string') | list -%}
    {{ return(allowed) }}
  {%- endif -%}
  {%- set names = [] -%}
  {%- for column in columns -%}{%- do names.append(value.get(column, column).strip() | lower) -%}{%- endfor -%}
  {{ return(none if '' not in names and names | unique | list | length == names | length else allowed) }}
{%- endmacro -%}
