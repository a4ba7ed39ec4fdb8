{#
  The rows that differ between two relations, flat, as the log keeps them: the row's columns (after the change, or the last
  known ones of a delete), before__<column>, change_type, changed_columns. The strategy says how; what comes out is the same.

  columns: [{name, data_type, is_key, in_old, in_new, is_compared, tolerance}]; with is_added and was_known, see _is_backfilled
  key_hash: a never-null column of both sides that is equal for equal keys, by which they are already placed; or none
#}
{%- macro _changes_between(old, new, columns, settings, key_hash=none) -%}
  {%- set sides = {
    'old': old,
    'new': new,
    'columns': columns,
    'keys': columns | selectattr('is_key') | map(attribute='name') | list,
    'compared': columns | selectattr('is_compared') | list,
    'has_before': settings.before_image != 'none',
    'presence': deltawave._quoted(key_hash) if key_hash else 'is_present',
    'key_hash': key_hash,
    'hint': settings.hint,
    'place': none,
  } -%}
  {%- if settings.duplicate_keys == 'multiset' -%}
    {{ return(deltawave._changes_by_multiset(sides)) }}
  {%- endif -%}
  {%- set strategy = deltawave._strategy_named('_changes_between', settings.strategy) -%}
  {{ return(deltawave._macro_named(strategy.comparison)(sides)) }}
{%- endmacro -%}

{# Both sides as CTEs: their columns, and one that is never null, which tells after an outer join whether the side had the row. #}
{%- macro _two_sides(sides) -%}
old_side as (
    select
        {%- for column in sides.columns if column.in_old %}
        {{ deltawave._quoted(column.name) }},
        {%- endfor %}
        {{ sides.presence if sides.key_hash else 'true as is_present' }}
    from {{ sides.old }}
),

new_side as (
    select
        {%- for column in sides.columns if column.in_new %}
        {{ deltawave._quoted(column.name) }},
        {%- endfor %}
        {{ sides.presence if sides.key_hash else 'true as is_present' }}
    from {{ sides.new }}
)
{%- endmacro -%}

{#
  The join condition: null-safe on the key. Sides that lie by its hash are joined by the hash alone, so that Spark needs not sort them again;
  the key is compared in a form of which Spark makes no key of the join. place: a column of both sides that numbers the rows of a key,
  where a key may have several.
#}
{%- macro _on_key(sides, place=none) -%}
  {%- set conditions = ['old_side.' ~ sides.presence ~ ' = new_side.' ~ sides.presence] if sides.key_hash else [] -%}
  {%- set equal = deltawave._equal_parts(sides['keys'], 'old_side', 'new_side') -%}
  {%- if sides.key_hash and not place -%}
    {%- do conditions.append('array(' ~ equal | join(', ') ~ ') = array(' ~ (['true'] * equal | length) | join(', ') ~ ')') -%}
  {%- else -%}
    {%- do conditions.extend(equal) -%}
  {%- endif -%}
  {%- if place -%}
    {%- do conditions.append('old_side.' ~ place ~ ' = new_side.' ~ place) -%}
  {%- endif -%}
  {{ return(conditions | join(' and ')) }}
{%- endmacro -%}

{# The user's choice of join, as Spark's hint on the old side. #}
{%- macro _join_hint(sides) -%}
  {{ return(' /*+ ' ~ sides.hint ~ '(old_side) */' if sides.hint else '') }}
{%- endmacro -%}

{# A column of one side, or null where that side lacks it. #}
{%- macro _cell(side, column) -%}
  {%- if column['in_' ~ side] -%}
    {{ return(side ~ '_side.' ~ deltawave._quoted(column.name)) }}
  {%- endif -%}
  {{ return('cast(null as ' ~ column.data_type ~ ')') }}
{%- endmacro -%}

{# The names of an update's changed columns: none where none is compared, so that an added column alone makes it one. #}
{%- macro _changed_names(sides) -%}
  {%- set names = [] -%}
  {%- for column in sides.compared -%}
    {%- do names.append('if(' ~ deltawave._is_equal(column) ~ ', null, ' ~ deltawave._literal(column.name) ~ ')') -%}
  {%- endfor -%}
  {{ return('array_compact(array(\n        ' ~ names | join(',\n        ') ~ '\n    ))' if names else 'cast(array() as array<string>)') }}
{%- endmacro -%}

{#
  The conditions that a row of both sides is to be told because of a column that joins the log, so that the log replays to the dump. What the
  log lacks is null there already, unless it holds what the column was before it left.
#}
{%- macro _is_backfilled(sides) -%}
  {%- set conditions = [] -%}
  {%- for column in sides.columns | selectattr('is_added') -%}
    {%- do conditions.append('true' if column.was_known else deltawave._cell('new', column) ~ ' is not null') -%}
  {%- endfor -%}
  {{ return(conditions) }}
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
