{#
  One full outer join, of which the rows that differ remain. CH98 3.1 names it; LG96 3.1 runs it as a sort-merge join
  and keeps the sorted file. DuckDB makes the same join of copies in Parquet: differencing/stored_copies.py.
#}
{%- macro default___changes_by_outer_join(sides) -%}
with {{ deltawave._two_sides(sides) }}

{{ deltawave._joined_changes(sides) }}
{%- endmacro -%}

{# The join of old_side and new_side itself. #}
{%- macro _joined_changes(sides) -%}
  {%- set pairs -%}
old_side
full outer join new_side
    on {{ deltawave._on_key(sides, sides.place) }}
  {%- endset -%}
{{ deltawave._changes_of_pairs(sides, pairs) }}
{%- endmacro -%}

{# The changes of pairs: both sides, joined, or a relation that has joined them. #}
{%- macro _changes_of_pairs(sides, pairs) -%}
select{{ deltawave._join_hint(sides) }}
    {%- for column in sides.columns %}
    if({{ sides.no_new }}, {{ deltawave._cell('old', column) }}, {{ deltawave._cell('new', column) }})
        as {{ deltawave._quoted(column.name) }},
    {%- endfor %}
    {%- if sides.has_before %}
    {%- for column in sides.columns | rejectattr('is_key') %}
    if({{ sides.no_new }}, null, {{ deltawave._cell('old', column) }}) as {{ deltawave._quoted(deltawave._before_name(column.name)) }},
    {%- endfor %}
    {%- endif %}
    case
        when {{ sides.no_old }} then 'insert'
        when {{ sides.no_new }} then 'delete'
        else 'update'
    end as change_type,
    if({{ sides.no_old }} or {{ sides.no_new }}, null, {{ deltawave._changed_names(sides) }}) as changed_columns
from {{ pairs }}
where {{ sides.no_old }}
    or {{ sides.no_new }}
    {%- for column in sides.compared %}
    or not {{ deltawave._is_equal(column) }}
    {%- endfor %}
    {%- for condition in deltawave._is_backfilled(sides) %}
    or {{ condition }}
    {%- endfor %}
{%- endmacro -%}

{#
  The full outer join as LG96 3.1 (SM) runs it, whatever the session prefers: both sides are merged in the order of the
  key's hash, which is that of the state.
#}
{%- macro default___changes_by_sort_merge(sides) -%}
{{ deltawave.default___changes_by_outer_join(dict(sides, hint='merge')) }}
{%- endmacro -%}
