{#
  The rows that differ between two relations, flat, as the log keeps them: the row's columns (after the change, or the last
  known ones of a delete), before__<column>, change_type, changed_columns. CH98 3.1 writes it as three queries and names the full
  outer join that says the same; LG96 3.1 runs it by sort-merge.

  columns: [{name, data_type, is_key, in_old, in_new, is_compared, tolerance}]
  key_hash: a never-null column of both sides that is equal for equal keys, by which they are already placed; or none
#}
{%- macro _changes_between(old, new, columns, settings, key_hash=none) -%}
  {%- set keys = columns | selectattr('is_key') | map(attribute='name') | list -%}
  {%- set compared = columns | selectattr('is_compared') | list -%}
  {%- set presence = deltawave._quoted(key_hash) if key_hash else 'is_present' -%}
with old_side as (
    select
        {%- for column in columns if column.in_old %}
        {{ deltawave._quoted(column.name) }},
        {%- endfor %}
        {{ presence if key_hash else 'true as is_present' }}
    from {{ old }}
),

new_side as (
    select
        {%- for column in columns if column.in_new %}
        {{ deltawave._quoted(column.name) }},
        {%- endfor %}
        {{ presence if key_hash else 'true as is_present' }}
    from {{ new }}
)

select
    {%- for column in columns %}
    {{ deltawave._after(column, presence) }} as {{ deltawave._quoted(column.name) }},
    {%- endfor %}
    {%- if settings.before_image != 'none' %}
    {%- for column in columns | rejectattr('is_key') %}
    {{ deltawave._before(column, presence) }} as {{ deltawave._quoted('before__' ~ column.name) }},
    {%- endfor %}
    {%- endif %}
    case
        when old_side.{{ presence }} is null then 'insert'
        when new_side.{{ presence }} is null then 'delete'
        else 'update'
    end as change_type,
    {{ deltawave._changed_columns(compared, presence) }} as changed_columns
from old_side
full outer join new_side
    on {% if key_hash %}old_side.{{ presence }} = new_side.{{ presence }} and {% endif -%}
    {%- for key in keys %}
    old_side.{{ deltawave._quoted(key) }} <=> new_side.{{ deltawave._quoted(key) }}{{ ' and' if not loop.last }}
    {%- endfor %}
where old_side.{{ presence }} is null
    or new_side.{{ presence }} is null
    {%- for column in compared %}
    or not {{ deltawave._is_equal(column) }}
    {%- endfor %}
{%- endmacro -%}

{# The row after the change; for a delete the last known one. #}
{%- macro _after(column, presence) -%}
  {%- set name = deltawave._quoted(column.name) -%}
  {%- set old = 'old_side.' ~ name if column.in_old else 'cast(null as ' ~ column.data_type ~ ')' -%}
  {%- set new = 'new_side.' ~ name if column.in_new else 'cast(null as ' ~ column.data_type ~ ')' -%}
  {{ return('if(new_side.' ~ presence ~ ' is null, ' ~ old ~ ', ' ~ new ~ ')') }}
{%- endmacro -%}

{# What an updated row held before; null for an insert and a delete. #}
{%- macro _before(column, presence) -%}
  {%- if not column.in_old -%}
    {{ return('cast(null as ' ~ column.data_type ~ ')') }}
  {%- endif -%}
  {{ return('if(new_side.' ~ presence ~ ' is null, null, old_side.' ~ deltawave._quoted(column.name) ~ ')') }}
{%- endmacro -%}

{# The names of an update's changed columns; null for an insert and a delete. #}
{%- macro _changed_columns(compared, presence) -%}
  {%- if not compared -%}
    {{ return('cast(null as array<string>)') }}
  {%- endif -%}
  {%- set names = [] -%}
  {%- for column in compared -%}
    {%- do names.append('if(' ~ deltawave._is_equal(column) ~ ', null, ' ~ deltawave._literal(column.name) ~ ')') -%}
  {%- endfor -%}
  {{ return(
    'if(old_side.' ~ presence ~ ' is null or new_side.' ~ presence ~ ' is null, null, array_compact(array(\n        '
    ~ names | join(',\n        ') ~ '\n    )))'
  ) }}
{%- endmacro -%}

{# Null-safe, by content, and within the tolerance where one is given. #}
{%- macro _is_equal(column) -%}
  {%- set name = deltawave._quoted(column.name) -%}
  {%- set equal = deltawave._comparable('old_side.' ~ name, column.data_type) ~ ' <=> ' ~ deltawave._comparable('new_side.' ~ name, column.data_type) -%}
  {%- if column.tolerance -%}
    {%- set distance = 'abs(cast(old_side.' ~ name ~ ' as double) - cast(new_side.' ~ name ~ ' as double))' -%}
    {{ return('(' ~ equal ~ ' or coalesce(' ~ distance ~ ' <= ' ~ column.tolerance ~ ', false))') }}
  {%- endif -%}
  {{ return('(' ~ equal ~ ')') }}
{%- endmacro -%}
