{#
  Brings a relation up to date with a change log. Applying the same batches again changes nothing, except with multiset.

    rebuild  a select: the rows of base whose key has no change, and the last change of every other key, unless it is a
             delete
    merge    a merge statement into base, a Delta or Iceberg table; for a post-hook or an operation

  The result has base's columns in base's order: other columns of the log are left out, columns that are not in the log
  stay as they are (null in a new row). from_batch (a number or an SQL expression): only this batch and later ones.

  duplicate_keys: the model's. With multiset, where a key may have several rows, rows are counted (see _counted_state):
  base has to be the state before from_batch, the log has to have all its columns, and merge is not possible.

  log, base: relations; or, with columns= (names of base in order, all of them also in the log; for a multiset with
  their types), names of CTEs or subqueries.
#}
{%- macro apply_changes(
  log, base, unique_key, from_batch=none, method='rebuild', columns=none, duplicate_keys='fail'
) -%}
  {%- do deltawave._require_choice('apply_changes', 'method', method, ['rebuild', 'merge']) -%}
  {%- set is_multiset = deltawave._is_multiset(duplicate_keys, 'apply_changes') -%}
  {%- if is_multiset and method == 'merge' -%}
    {%- do deltawave._fail('merge_multiset', {'macro': 'apply_changes'}) -%}
  {%- endif -%}
  {%- set keys = deltawave._key_list(unique_key, 'apply_changes') -%}
  {%- if not execute -%}{{ return('') }}{%- endif -%}
  {%- set base_names = deltawave._data_columns(base, columns, 'apply_changes') -%}
  {%- set log_names = deltawave._data_columns(log, columns, 'apply_changes') -%}
  {%- do deltawave._require_columns(keys, base_names, base, 'apply_changes') -%}
  {%- do deltawave._require_columns(keys, log_names, log, 'apply_changes') -%}
  {%- if is_multiset -%}
    {%- do deltawave._require_columns(base_names, log_names, log, 'apply_changes') -%}
    {%- set typed = deltawave._typed_columns(
      columns or base_names, none if base is string else base, 'apply_changes'
    ) -%}
    {{ return(deltawave._counted_state(log, keys, typed, from_batch, base=base)) }}
  {%- endif -%}
  {%- set logged = [] -%}
  {%- for name in base_names if name | lower in log_names | map('lower') -%}{%- do logged.append(name) -%}{%- endfor -%}
  {%- set changes = deltawave._last_changes(log, keys, logged, from_batch) -%}
  {%- if method == 'merge' -%}{{ return(deltawave._merge_changes(base, keys, logged, changes)) }}{%- endif -%}
  {{ return(deltawave._rebuild(base, keys, base_names, logged, changes)) }}
{%- endmacro -%}
