{#
  The current rows according to a change log, as a select: the last change of each key, unless it is a delete. Keys and
  data columns in the log's order; from_batch and to_batch (numbers or SQL expressions) restrict the batches, both
  bounds included.

  duplicate_keys: the model's; with multiset, where a key may have several rows, rows are counted over the log (see
  _counted_state).

  log: a relation with the delta contract's columns; or, with columns= (names in order, for a multiset with their
  types), the name of a CTE or a subquery.
#}
{%- macro current_state(log, unique_key, from_batch=none, to_batch=none, columns=none, duplicate_keys='fail') -%}
  {%- set keys = deltawave._key_list(unique_key, 'current_state') -%}
  {%- set is_multiset = deltawave._is_multiset(duplicate_keys, 'current_state') -%}
  {%- if not execute -%}{{ return('') }}{%- endif -%}
  {%- set names = deltawave._data_columns(log, columns, 'current_state') -%}
  {%- do deltawave._require_columns(keys, names, log, 'current_state') -%}
  {%- if is_multiset -%}
    {%- set typed = deltawave._typed_columns(columns or names, none if log is string else log, 'current_state') -%}
    {{ return(deltawave._counted_state(log, keys, typed, from_batch, to_batch)) }}
  {%- endif -%}
with last_changes as (
    {{ deltawave._indented(deltawave._last_changes(log, keys, names, from_batch, to_batch)) }}
)

select
    {{ deltawave._quoted_list(names) | join(',\n    ') }}
from last_changes
where `_change_type` <> 'delete'
{%- endmacro -%}
