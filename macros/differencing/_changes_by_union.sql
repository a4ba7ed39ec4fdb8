{#
  Three selects, an inner join and two anti-joins (CH98 Figure 1, QDA), for engines that are slow at full outer joins:
  each of the three can be a broadcast join, a full outer join cannot.
#}
{%- macro default___changes_by_union(sides) -%}
{%- set differences = deltawave._is_backfilled(sides) -%}
{%- for column in sides.compared -%}{%- do differences.append('not ' ~ deltawave._is_equal(column)) -%}{%- endfor -%}
with {{ deltawave._two_sides(sides) }}

select{{ deltawave._join_hint(sides) }}
    {{ deltawave._change_row(sides, 'new', 'old') }},
    'update' as change_type,
    {{ deltawave._changed_names(sides) }} as changed_columns
from new_side
inner join old_side
    on {{ deltawave._on_key(sides) }}
where {{ differences | join('\n    or ') or 'false' }}

union all

select{{ deltawave._join_hint(sides) }}
    {{ deltawave._change_row(sides, 'new', none) }},
    'insert' as change_type,
    cast(null as array<string>) as changed_columns
from new_side
left anti join old_side
    on {{ deltawave._on_key(sides) }}

union all

select
    {{ deltawave._change_row(sides, 'old', none) }},
    'delete' as change_type,
    cast(null as array<string>) as changed_columns
from old_side
left anti join new_side
    on {{ deltawave._on_key(sides) }}
{%- endmacro -%}

{# The row's columns from one side, then what they were before from the other, or null. #}
{%- macro _change_row(sides, side, before) -%}
  {%- set cells = [] -%}
  {%- for column in sides.columns -%}
    {%- do cells.append(deltawave._cell(side, column) ~ ' as ' ~ deltawave._quoted(column.name)) -%}
  {%- endfor -%}
  {%- for column in sides.columns if sides.has_before and not column.is_key -%}
    {%- set cell = deltawave._cell(before, column) if before else 'cast(null as ' ~ column.data_type ~ ')' -%}
    {%- do cells.append(cell ~ ' as ' ~ deltawave._quoted(deltawave._before_name(column.name))) -%}
  {%- endfor -%}
  {{ return(cells | join(',\n    ')) }}
{%- endmacro -%}
