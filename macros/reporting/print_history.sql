{#
  Prints the versions of a row of a change log: one line for each value that a batch has brought, changed or deleted.

    dbt run-operation deltawave.print_history --args '{model: accounts_changes, key: {region: north, account_id: 5}}'

  key: the model's key, as deltawave.history takes it; column: only this column
#}
{%- macro print_history(model, key, column=none) -%}
  {%- if not execute -%}{{ return(none) }}{%- endif -%}
  {%- do deltawave._require_session('history', 'deltawave.history gives the same rows by SQL alone.') -%}
  {%- set found = deltawave._built_log('history', model) -%}
  {%- do deltawave._check_key('history', model, key, found.settings.unique_key) -%}
  {%- set columns = deltawave._columns_of(found.log) -%}
  {%- do deltawave._check_history(found.log, columns, key, column) -%}
  {%- do deltawave._check_values('history', [key], deltawave._types_of(columns)) -%}
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
