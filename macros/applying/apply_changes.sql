{#
  Brings a relation up to date with a change log. Applying the same batches again changes nothing.
    rebuild  a select: the rows of base whose key has no change, and the last change of every other key, unless it is a delete
    merge    a merge statement into base, a Delta or Iceberg table; for a post-hook or an operation
  The result has base's columns in base's order: what the log has beside is left out, what the log lacks stays as it is (null in a
  new row). from_batch (a number or an SQL expression): only this batch and later ones.
  log, base: relations; or, with columns= (names of base in order, all in the log too), names of CTEs or subqueries.
#}
{%- macro apply_changes(log, base, unique_key, from_batch=none, method='rebuild', columns=none) -%}
  {{ return(adapter.dispatch('apply_changes', 'deltawave')(log, base, unique_key, from_batch, method, columns)) }}
{%- endmacro -%}

{%- macro default__apply_changes(log, base, unique_key, from_batch, method, columns) -%}
  {%- if method not in ['rebuild', 'merge'] -%}
    {%- do deltawave._fail('option_value', {'model': 'apply_changes', 'option': 'method', 'value': method, 'allowed': 'rebuild or merge'}) -%}
  {%- endif -%}
  {%- set keys = deltawave._key_list(unique_key, 'apply_changes') -%}
  {%- if not execute -%}{{ return('') }}{%- endif -%}
  {%- set base_names = deltawave._data_columns(base, columns, 'apply_changes') -%}
  {%- set log_names = deltawave._data_columns(log, columns, 'apply_changes') -%}
  {%- do deltawave._require_columns(keys, base_names, base, 'apply_changes') -%}
  {%- do deltawave._require_columns(keys, log_names, log, 'apply_changes') -%}
  {%- set logged = [] -%}
  {%- for name in base_names if name | lower in log_names | map('lower') -%}{%- do logged.append(name) -%}{%- endfor -%}
  {%- set changes = deltawave._last_changes(log, keys, logged, from_batch) -%}
  {%- if method == 'merge' -%}
    {{ return(deltawave._merge_changes(base, keys, logged, changes)) }}
  {%- endif -%}
  {{ return(deltawave._rebuild(base, keys, base_names, logged, changes)) }}
{%- endmacro -%}
