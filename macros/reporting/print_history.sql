{#
  Prints the versions of a row of a change log: one line for each value that a batch has brought, changed or deleted.

    dbt run-operation deltawave.print_history --args '{model: accounts_changes, key: {region: north, account_id: 5}}'

  key: the model's key, as deltawave.history takes it; column: only this column
#}
{%- macro print_history(model, key, column=none) -%}
  {{ return(adapter.dispatch('print_history', 'deltawave')(model, key, column)) }}
{%- endmacro -%}

{%- macro default__print_history(model, key, column) -%}
  {%- if not execute -%}{{ return(none) }}{%- endif -%}
  {%- do deltawave._require_session('history', 'deltawave.history gives the same rows by SQL alone.') -%}
  {%- set found = deltawave._built_log('history', model) -%}
  {%- do deltawave._check_key(model, key, found.settings.unique_key) -%}
  {%- set columns = deltawave._columns_of(found.log) -%}
  {%- do deltawave._check_history(found.log, columns, key, column) -%}
  {%- do deltawave._check_values(key, deltawave._types_of(columns)) -%}
  {%- set relations = {
    'history': '(\n' ~ deltawave.history(found.log, key) ~ '\n)',
    'log': found.log | string,
    'batches': '(\n' ~ deltawave.batches(found.relation, found.settings.state_schema) ~ '\n)',
  } -%}
  {%- set values = [] -%}
  {%- for name, value in key.items() -%}
    {%- do values.append([name, none if value is none else value | string]) -%}
  {%- endfor -%}
  {%- do print(adapter.call_library('deltawave.reporting.command.history_text', relations, {
    'name': model,
    'key': values,
    'column': column,
  })) -%}
{%- endmacro -%}

{# Refuses a key that lacks a column of the model's key, or has another one. #}
{%- macro _check_key(model, key, unique_key) -%}
  {%- if key is not mapping or not key -%}
    {%- do deltawave._fail('history_key', {'macro': 'history', 'value': key}) -%}
  {%- endif -%}
  {%- set given = key.keys() | map('string') | map('lower') | list -%}
  {%- set known = unique_key | map('lower') | list -%}
  {%- set wrong = [] -%}
  {%- for name in unique_key if name | lower not in given -%}
    {%- do wrong.append('no value is given for ' ~ name) -%}
  {%- endfor -%}
  {%- for name in key.keys() if name | lower not in known -%}
    {%- do wrong.append(name ~ ' is not part of it') -%}
  {%- endfor -%}
  {%- if wrong -%}
    {%- do deltawave._fail('key_parts', {
      'macro': 'history', 'model': model, 'keys': unique_key | join(', '), 'wrong': wrong | join(', '),
    }) -%}
  {%- endif -%}
{%- endmacro -%}

{# Refuses values that are none of their columns' types: Spark's own message would not name the column. #}
{%- macro _check_values(key, types) -%}
  {%- set given, wrong = [], [] -%}
  {%- for name, value in key.items() if value is not none -%}
    {%- do given.append({'column': name, 'type': types[name | lower], 'value': value}) -%}
    {%- do wrong.append(
      'if(' ~ deltawave._value_of_type(types[name | lower], value, 'try_cast') ~ ' is null, 1, 0) as wrong_'
      ~ loop.index0
    ) -%}
  {%- endfor -%}
  {%- if wrong -%}
    {%- set found = run_query('select ' ~ wrong | join(', ')).rows[0] -%}
    {%- for each in given -%}
      {%- if found[loop.index0] | int -%}
        {%- do deltawave._fail('key_value', dict(each, macro='history')) -%}
      {%- endif -%}
    {%- endfor -%}
  {%- endif -%}
{%- endmacro -%}
