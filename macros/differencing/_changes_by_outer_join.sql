{# One full outer join, of which the rows that differ remain. CH98 3.1 names it; LG96 3.1 runs it as a sort-merge join and keeps the sorted file. #}
{%- macro default___changes_by_outer_join(sides) -%}
with {{ deltawave._two_sides(sides) }}

{{ deltawave._joined_changes(sides) }}
{%- endmacro -%}

{# The join of old_side and new_side itself. #}
{%- macro _joined_changes(sides) -%}
  {%- set presence = sides.presence -%}
select{{ deltawave._join_hint(sides) }}
    {%- for column in sides.columns %}
    if(new_side.{{ presence }} is null, {{ deltawave._cell('old', column) }}, {{ deltawave._cell('new', column) }})
        as {{ deltawave._quoted(column.name) }},
    {%- endfor %}
    {%- if sides.has_before %}
    {%- for column in sides.columns | rejectattr('is_key') %}
    if(new_side.{{ presence }} is null, null, {{ deltawave._cell('old', column) }}) as {{ deltawave._quoted(deltawave._before_name(column.name)) }},
    {%- endfor %}
    {%- endif %}
    case
        when old_side.{{ presence }} is null then 'insert'
        when new_side.{{ presence }} is null then 'delete'
        else 'update'
    end as change_type,
    if(old_side.{{ presence }} is null or new_side.{{ presence }} is null, null, {{ deltawave._changed_names(sides) }}) as changed_columns
from old_side
full outer join new_side
    on {{ deltawave._on_key(sides, sides.place) }}
where old_side.{{ presence }} is null
    or new_side.{{ presence }} is null
    {%- for column in sides.compared %}
    or not {{ deltawave._is_equal(column) }}
    {%- endfor %}
    {%- for condition in deltawave._is_backfilled(sides) %}
    or {{ condition }}
    {%- endfor %}
{%- endmacro -%}
