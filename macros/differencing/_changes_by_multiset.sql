{#
  The fewest changes between two relations in which a key may have several rows (LG95 4.6, Figure 6). First identical
  rows cancel each other, one for one. Of a key's remaining rows, old and new ones pair up as updates, in the order of
  their values; the rest are deletes or inserts. Every window and join starts with the key's hash, so that sides placed
  by it need no exchange.
#}
{%- macro _changes_by_multiset(sides) -%}
  {%- do sides.update(
    place=deltawave._quoted(deltawave._unused_name('_place', sides.columns)),
    numbered=deltawave._quoted(deltawave._unused_name('_copy', sides.columns))
  ) -%}
with {{ deltawave._numbered_side(sides, 'old') }},

{{ deltawave._numbered_side(sides, 'new') }},

{{ deltawave._unmatched_side(sides, 'old', 'new') }},

{{ deltawave._unmatched_side(sides, 'new', 'old') }}

{{ deltawave._joined_changes(sides) }}
{%- endmacro -%}

{# One side, with identical rows numbered: the n-th on one side cancels the n-th on the other. #}
{%- macro _numbered_side(sides, side) -%}
numbered_{{ side }} as (
    select
        {{ deltawave._quoted_list(sides.columns | selectattr('in_' ~ side) | map(attribute='name')) | join(',\n        ') }},
        {{ sides.presence if sides.key_hash else 'true as ' ~ sides.presence }},
        row_number() over (
            partition by {{ (deltawave._key_place(sides) + deltawave._values(sides)) | join(', ') }}
            order by {{ deltawave._quoted(sides['keys'][0]) }}
        ) as {{ sides.numbered }}
    from {{ sides[side] }}
)
{%- endmacro -%}

{# The rows of one side that remain after identical rows have cancelled, numbered within the key. #}
{%- macro _unmatched_side(sides, side, other) -%}
{{ side }}_side as (
    select{{ deltawave._join_hint(sides) }}
        {{ side }}_side.*,
        row_number() over (
            partition by {{ deltawave._key_place(sides) | join(', ') }}
            order by {{ deltawave._values(sides) | join(', ') or deltawave._quoted(sides['keys'][0]) }}
        ) as {{ sides.place }}
    from numbered_{{ side }} as {{ side }}_side
    left anti join numbered_{{ other }} as {{ other }}_side
        on {{ deltawave._on_key(sides, sides.numbered) }}
        {%- for column in sides.compared %}
        and {{ deltawave._is_equal(column) }}
        {%- endfor %}
)
{%- endmacro -%}

{# The key, after its hash if the sides are placed by it. #}
{%- macro _key_place(sides) -%}
  {{ return(([sides.presence] if sides.key_hash else []) + deltawave._quoted_list(sides['keys'])) }}
{%- endmacro -%}

{# The compared columns, in the form for grouping and sorting. #}
{%- macro _values(sides) -%}
  {%- set values = [] -%}
  {%- for column in sides.compared -%}
    {%- do values.append(deltawave._comparable(deltawave._quoted(column.name), column.data_type)) -%}
  {%- endfor -%}
  {{ return(values) }}
{%- endmacro -%}
