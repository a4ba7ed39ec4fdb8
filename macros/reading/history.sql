{#
  The versions of a row, from its change log: its changes in order, in the log's columns; within a batch a delete comes
  first.

    dbt show --inline "{{ deltawave.history(ref('accounts_changes'), {'region': 'north', 'account_id': 5}) }}"

  key: the key's columns with their values: text is read as the column's type, none is null, a binary value is in
  hexadecimal digits, an array or struct is as Spark shows it. Where columns of the key are left out, the changes of
  all rows that have the others.
  column: only changes of this column, with its value after the change (of a delete, the last one), and in _before the
  one before an update
#}
{%- macro history(log, key, column=none) -%}
  {%- set columns = deltawave._columns_of(log) -%}
  {%- do deltawave._check_history(log, columns, key, column) -%}
  {%- if not execute -%}{{ return('') }}{%- endif -%}
  {%- set types = deltawave._types_of(columns) -%}
  {%- set names = deltawave._data_columns(log, columns, 'history') -%}
  {%- set conditions = [] -%}
  {%- for name, value in key.items() -%}
    {%- do conditions.append(deltawave._has_value(name, types[name | lower], value)) -%}
  {%- endfor -%}
  {%- if column -%}
    {#-
      Changes that bring another value, or may: an update that does not record its changed columns may, and a backfill
      does, if the column is one of those that joined the log.
    -#}
    {%- set type = types[column | lower] -%}
    {%- set after = deltawave._comparable(deltawave._quoted(column), type) -%}
    {%- set before = deltawave._comparable(deltawave._value_before(column, types), type) -%}
    {%- set backfills = deltawave._is_backfill() ~ ' and not (' ~ after ~ ' <=> ' ~ before ~ ')' -%}
    {%- do conditions.append('(' ~ deltawave._opens_version([column]) ~ ' or (' ~ backfills ~ '))') -%}
  {%- endif -%}
select
    {%- if column %}
    {{ deltawave._quoted_list(key.keys() | list + [column]) | join(',\n    ') }},
    `_change_type`,
    {{ deltawave._value_before(column, types) }} as `_before`,
    {%- else %}
    {{ deltawave._quoted_list(names) | join(',\n    ') }},
    `_change_type`,
    `_changed_columns`,
    `_before`,
    {%- endif %}
    `_batch_id`,
    `_batch_at`
from {{ log }}
where {{ conditions | join('\n    and ') }}
order by `_batch_id`, if(`_change_type` = 'delete', 0, 1)
{%- endmacro -%}

{# Refuses a key that is no mapping of columns to values, and a column that the log does not have, or the key. #}
{%- macro _check_history(log, columns, key, column) -%}
  {%- if key is not mapping or not key -%}
    {%- do deltawave._fail('history_key', {'macro': 'history', 'value': key}) -%}
  {%- endif -%}
  {%- if execute -%}
    {%- set names = deltawave._data_columns(log, columns, 'history') -%}
    {%- do deltawave._require_columns(key.keys() | list + ([column] if column else []), names, log, 'history') -%}
  {%- endif -%}
  {%- if column and column | lower in key.keys() | map('lower') -%}
    {%- do deltawave._fail('history_of_key', {'macro': 'history', 'column': column}) -%}
  {%- endif -%}
{%- endmacro -%}

{# The condition that a column has a value, which is given as in Jinja or as text. #}
{%- macro _has_value(name, data_type, value) -%}
  {%- set quoted = deltawave._quoted(name) -%}
  {%- if value is none -%}
    {{ return(quoted ~ ' is null') }}
  {%- elif deltawave._parse_type(data_type).kind != 'atomic' -%}
    {%- set quoted = 'cast(' ~ quoted ~ ' as string)' -%}
  {%- endif -%}
  {{ return(quoted ~ ' = ' ~ deltawave._text_of_type(data_type, deltawave._literal(value), 'cast')) }}
{%- endmacro -%}

{# A text as a column's type has it. cast: or try_cast, which gives null for what is no such value. #}
{%- macro _text_of_type(data_type, text, cast) -%}
  {%- if data_type == 'binary' -%}
    {{ return('unhex(' ~ text ~ ')') }}
  {%- elif deltawave._parse_type(data_type).kind != 'atomic' or data_type.startswith(('string', 'char', 'varchar')) -%}
    {{ return(text) }}
  {%- endif -%}
  {{ return(cast ~ '(' ~ text ~ ' as ' ~ data_type ~ ')') }}
{%- endmacro -%}

{#- The value of a column before an update, null where the log has none. -#}
{%- macro _value_before(column, types) -%}
  {%- for field in deltawave._parse_type(types.get('_before', 'struct<>')).fields or []
      if field.name | lower == column | lower -%}
    {{ return('`_before`.' ~ deltawave._quoted(field.name)) }}
  {%- endfor -%}
  {{ return('cast(null as ' ~ types[column | lower] ~ ')') }}
{%- endmacro -%}
