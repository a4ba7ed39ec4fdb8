{#
  The changes between any two relations with the same columns, as a select under the delta contract: keys and columns
  after the change, _change_type, _changed_columns, _before, _batch_id, _batch_at. Keeps no state; one row per changed
  key. Null keys match null keys. Both sides should have unique keys, which is not checked: a key with m rows on one
  side and n on the other gives those of its m x n pairs that differ. With duplicate_keys='multiset' a key may have
  several rows (LG95 4.6).
#}
{%- macro diff(
    old, new, unique_key, compare_columns=none, ignore_columns=none, tolerance=none, columns=none,
    strategy='outer_join', batch_id=1, batch_at='current_timestamp()', duplicate_keys='fail'
) -%}
  {%- do deltawave._require_choice('diff', 'duplicate_keys', duplicate_keys, ['fail', 'multiset']) -%}
  {%- do deltawave._require_choice('diff', 'strategy', strategy, ['auto'] + deltawave._stateless_strategies()) -%}
  {%- set settings = deltawave._differential_settings('diff', {
    'unique_key': unique_key,
    'compare_columns': compare_columns,
    'ignore_columns': ignore_columns,
    'tolerance': tolerance,
    'strategy': strategy,
    'duplicate_keys': duplicate_keys,
  }) -%}
  {%- if not execute -%}{{ return('select 1 as `_change_type`') }}{%- endif -%}
  {%- set old_columns = columns or deltawave._columns_of(old) -%}
  {%- set new_columns = columns or deltawave._columns_of(new) -%}
  {%- set options = (settings.compare_columns or []) + (settings.ignore_columns or []) + (settings.tolerance or {}).keys() | list -%}
  {%- do deltawave._require_columns(settings.unique_key, old_columns | map(attribute='name') | list, old, 'diff') -%}
  {%- do deltawave._require_columns(settings.unique_key, new_columns | map(attribute='name') | list, new, 'diff') -%}
  {%- set known = (old_columns + new_columns) | map(attribute='name') | map('lower') | list -%}
  {%- for column in options if column | lower not in known -%}
    {%- do deltawave._fail('no_such_column_in_two', {'old': old | string, 'new': new | string, 'column': column}) -%}
  {%- endfor -%}
  {%- set drifted = deltawave._two_sided_columns(settings, old_columns, new_columns) -%}
with changes as (
    {{ deltawave._indented(deltawave._changes_between(old, new, drifted, settings)) }}
),

batched as (
    select
        changes.*,
        cast({{ batch_id }} as bigint) as batch_id,
        {{ batch_at }} as batch_at
    from changes
)

select
    {{ deltawave._contract_columns(drifted, has_before=true, alias='batched') }}
from batched
{%- endmacro -%}

{# The columns of both sides: those of the new one, then those that only the old one has. #}
{%- macro _two_sided_columns(settings, old_columns, new_columns) -%}
  {%- set old_names = old_columns | map(attribute='name') | map('lower') | list -%}
  {%- set new_names = new_columns | map(attribute='name') | map('lower') | list -%}
  {%- set keys = settings.unique_key | map('lower') | list -%}
  {%- set columns = [] -%}
  {%- for column in new_columns -%}
    {%- set name = column.name | lower -%}
    {%- set described = {'name': column.name, 'data_type': column.data_type, 'is_key': name in keys} -%}
    {%- do columns.append(deltawave._compared_column(settings, described, name in old_names, true)) -%}
  {%- endfor -%}
  {%- for column in old_columns if column.name | lower not in new_names -%}
    {%- set described = {'name': column.name, 'data_type': column.data_type, 'is_key': false} -%}
    {%- do columns.append(deltawave._compared_column(settings, described, true, false)) -%}
  {%- endfor -%}
  {{ return(columns) }}
{%- endmacro -%}
