{#
  The invariant of a change log: applied from the start it gives the relation `to`, the last dump. Fails with the rows that only one of them has:
  which side (_side) and how often (_copies). Null-safe; a map is compared by its content.

  duplicate_keys: the model's (see current_state).
  columns: what is compared, by default all columns of `to`. A `where` in the test's config filters the rows of both sides, not the log.
#}
{% test replays_to(model, to, unique_key, columns=none, duplicate_keys='fail') %}
  {{ return(adapter.dispatch('test_replays_to', 'deltawave')(model, to, unique_key, columns, duplicate_keys)) }}
{% endtest %}

{%- macro default__test_replays_to(model, to, unique_key, columns, duplicate_keys) -%}
  {%- set keys = deltawave._key_list(unique_key, 'replays_to') -%}
  {%- if not execute -%}{{ return('') }}{%- endif -%}
  {%- set log = deltawave._tested_relation(model) -%}
  {%- set where = config.get('where') -%}
  {%- set compared = deltawave._typed_columns(columns or deltawave._columns_of(to), to, 'replays_to') -%}
  {%- set names = deltawave._data_columns(log, none, 'replays_to') -%}
  {%- do deltawave._require_columns(compared | map(attribute='name') | list, names, log, 'replays_to') -%}
with replayed as (
    {{ deltawave._indented(deltawave.current_state(log, keys, columns=names, duplicate_keys=duplicate_keys)) }}
),

both_sides as (
    select
        {%- for column in compared %}
        {{ deltawave._quoted(column.name) }},
        {%- endfor %}
        1 as `_weight`
    from replayed
    {%- if where %}
    where {{ where }}
    {%- endif %}
    union all
    select
        {%- for column in compared %}
        {{ deltawave._quoted(column.name) }},
        {%- endfor %}
        -1 as `_weight`
    from {{ to }}
    {%- if where %}
    where {{ where }}
    {%- endif %}
),

counted as (
    {{ deltawave._indented(deltawave._net_rows('both_sides', compared)) }}
)

select
    if(`_copies` > 0, 'only in the log', {{ deltawave._literal('only in ' ~ to | replace('`', '')) }}) as `_side`,
    abs(`_copies`) as `_copies`,
    {{ deltawave._quoted_list(compared | map(attribute='name')) | join(',\n    ') }}
from counted
{%- endmacro -%}
