{#
  The rows that differ between two relations, in the flat form of the log: the row's columns (after the change; for a
  delete the last known ones), before__<column>, change_type, changed_columns. Every strategy gives the same result,
  each in its own way.

    columns   [{name, data_type, is_key, in_old, in_new, is_compared, tolerance}]; with is_added and was_known, see
              _is_backfilled
    key_hash  a column of both sides by which they are already placed: never null, and equal for equal keys; or none
#}
{%- macro _changes_between(old, new, columns, settings, key_hash=none) -%}
  {%- set presence = deltawave._quoted(key_hash or deltawave._unused_name('is_present', columns)) -%}
  {%- set sides = {
    'old': old,
    'new': new,
    'columns': columns,
    'keys': columns | selectattr('is_key') | map(attribute='name') | list,
    'compared': columns | selectattr('is_compared') | list,
    'has_before': settings.before_image != 'none',
    'presence': presence,
    'no_old': 'old_side.' ~ presence ~ ' is null',
    'no_new': 'new_side.' ~ presence ~ ' is null',
    'key_hash': key_hash,
    'hint': none,
    'place': none,
    'numbered': none,
  } -%}
  {%- if settings.duplicate_keys == 'multiset' -%}{{ return(deltawave._changes_by_multiset(sides)) }}{%- endif -%}
  {%- set strategy = deltawave._strategy_named('_changes_between', settings.strategy) -%}
  {{ return(deltawave._macro_named(strategy.comparison)(sides)) }}
{%- endmacro -%}

{# Both sides as CTEs: their columns, and a non-null marker that shows after the join whether the side has the row. #}
{%- macro _two_sides(sides) -%}
{%- for side in ['old', 'new'] -%}
{{ side }}_side as (
    select
        {{ deltawave._quoted_list(sides.columns | selectattr('in_' ~ side) | map(attribute='name')) | join(',\n        ') }},
        {{ sides.presence if sides.key_hash else 'true as ' ~ sides.presence }}
    from {{ sides[side] }}
){{ ',\n\n' if not loop.last }}
{%- endfor -%}
{%- endmacro -%}

{#
  The join condition: null-safe on the key. Sides placed by the key's hash are joined by the hash alone, so that Spark
  does not sort them again; the key is compared in a form that Spark does not use as a join key. place: a column of
  both sides that numbers the rows of a key, if a key may have several.
#}
{%- macro _on_key(sides, place=none) -%}
  {%- set conditions = ['old_side.' ~ sides.presence ~ ' = new_side.' ~ sides.presence] if sides.key_hash else [] -%}
  {%- set equal = deltawave._equal_parts(sides['keys'], 'old_side', 'new_side') -%}
  {%- if sides.key_hash and not place -%}
    {%- do conditions.append(
      'array(' ~ equal | join(', ') ~ ') = array(' ~ (['true'] * equal | length) | join(', ') ~ ')'
    ) -%}
  {%- else -%}
    {%- do conditions.extend(equal) -%}
  {%- endif -%}
  {%- if place -%}{%- do conditions.append('old_side.' ~ place ~ ' = new_side.' ~ place) -%}{%- endif -%}
  {{ return(conditions | join(' and ')) }}
{%- endmacro -%}

{# The name, or a longer one if a column has it: columns of a dump may have any name but the log's own. #}
{%- macro _unused_name(name, columns) -%}
  {%- set is_used = name in columns | map(attribute='name') | map('lower') -%}
  {{ return(deltawave._unused_name(name ~ '_', columns) if is_used else name) }}
{%- endmacro -%}

{# A strategy's choice of join, as Spark's hint on the old side. #}
{%- macro _join_hint(sides) -%}
  {{ return(' /*+ ' ~ sides.hint ~ '(old_side) */' if sides.hint else '') }}
{%- endmacro -%}

{# A column of one side, or null where that side lacks it. old_name, new_name: the column in a relation of pairs. #}
{%- macro _cell(side, column) -%}
  {%- if column['in_' ~ side] -%}
    {{ return(column[side ~ '_name'] or side ~ '_side.' ~ deltawave._quoted(column.name)) }}
  {%- endif -%}
  {{ return('cast(null as ' ~ column.data_type ~ ')') }}
{%- endmacro -%}

{# The names of an update's changed columns; empty where no compared column changed, that is for a backfill. #}
{%- macro _changed_names(sides) -%}
  {%- set names = [] -%}
  {%- for column in sides.compared -%}
    {%- do names.append('if(' ~ deltawave._is_equal(column) ~ ', null, ' ~ deltawave._literal(column.name) ~ ')') -%}
  {%- endfor -%}
  {{ return(
    'array_compact(array(\n        ' ~ names | join(',\n        ') ~ '\n    ))' if names
    else 'cast(array() as array<string>)'
  ) }}
{%- endmacro -%}

{#
  The conditions under which a row on both sides is logged because of a column that joins the log, so that the log
  replays to the dump. A column that is new to the log is null there already; one that comes back has its earlier
  values.
#}
{%- macro _is_backfilled(sides) -%}
  {%- set conditions = [] -%}
  {%- for column in sides.columns | selectattr('is_added') -%}
    {%- do conditions.append('true' if column.was_known else deltawave._cell('new', column) ~ ' is not null') -%}
  {%- endfor -%}
  {{ return(conditions) }}
{%- endmacro -%}

{# Null-safe equality by content of a column that both sides have, or within the tolerance if one is given. #}
{%- macro _is_equal(column) -%}
  {%- set old, new = deltawave._cell('old', column), deltawave._cell('new', column) -%}
  {%- set equal = deltawave._comparable(old, column.data_type) ~ ' <=> '
      ~ deltawave._comparable(new, column.data_type) -%}
  {%- if column.tolerance -%}
    {%- set distance = 'abs(cast(' ~ old ~ ' as double) - cast(' ~ new ~ ' as double))' -%}
    {{ return('(' ~ equal ~ ' or coalesce(' ~ distance ~ ' <= ' ~ column.tolerance ~ ', false))') }}
  {%- endif -%}
  {{ return('(' ~ equal ~ ')') }}
{%- endmacro -%}
