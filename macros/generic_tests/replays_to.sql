{#
  The invariant of a change log: applied from the start it gives the relation `to`, the last dump. Fails with the rows
  that only one of them has:
  which side (_side) and how often (_copies). Null-safe; a map is compared by its content.

  duplicate_keys: the model's (see current_state).
  columns: what is compared, by default all columns of `to` that the model compares. Of a `to` with the model's
  snapshot_date, only the dump that the model has compared last counts. A `where` in the test's config filters the rows
  of both sides, not the log.
#}
{%- test replays_to(model, to, unique_key, columns=none, duplicate_keys='fail') -%}
  {%- set keys = deltawave._key_list(unique_key, 'replays_to') -%}
  {%- if not execute -%}{{ return('') }}{%- endif -%}
  {%- set log = deltawave._tested_relation(model) -%}
  {%- set where = config.get('where') -%}
  {%- set settings = deltawave._tested_settings() -%}
  {%- set all_columns = deltawave._columns_of(to) -%}
  {%- set compared = deltawave._typed_columns(
    columns or deltawave._replayed_columns(all_columns, keys, settings), to, 'replays_to'
  ) -%}
  {%- set date = settings.snapshot_date if settings
      and settings.snapshot_date | lower in all_columns | map(attribute='name') | map('lower') -%}
  {%- set logged = deltawave._data_columns(log, none, 'replays_to') -%}
  {%- do deltawave._require_columns(compared | map(attribute='name') | list, logged, log, 'replays_to') -%}
  {%- set names = deltawave._quoted_list(compared | map(attribute='name')) -%}
with replayed as (
    {{ deltawave._indented(deltawave.current_state(log, keys, columns=logged, duplicate_keys=duplicate_keys)) }}
),

both_sides as (
    select
        {{ names | join(',\n        ') }},
        1 as `_weight`
    from replayed
    {%- if where %}
    where {{ where }}
    {%- endif %}
    union all
    select
        {{ names | join(',\n        ') }},
        -1 as `_weight`
    from {{ to }}
    {%- if date %}
    where cast({{ deltawave._quoted(date) }} as string) = (
        select max_by(snapshot_date, batch_id)
        from ({{ deltawave.batches(log, settings.state_schema) }})
        where snapshot_date is not null
    )
    {%- endif %}
    {%- if where %}
    {{ 'and' if date else 'where' }} ({{ where }})
    {%- endif %}
),

counted as (
    {{ deltawave._indented(deltawave._net_rows('both_sides', compared)) }}
)

select
    if(`_copies` > 0, 'only in the log', {{ deltawave._literal('only in ' ~ to | replace('`', '')) }}) as `_side`,
    abs(`_copies`) as `_copies`,
    {{ names | join(',\n    ') }}
from counted
{%- endtest -%}

{# The columns of a relation that a model compares: without those that it ignores, and without the date of a dump. #}
{%- macro _replayed_columns(columns, keys, settings) -%}
  {%- if not settings -%}{{ return(columns) }}{%- endif -%}
  {%- set named = (settings.compare_columns or []) | map('lower') | list -%}
  {%- set ignored = (settings.ignore_columns or []) + [settings.snapshot_date or ''] -%}
  {%- set replayed = [] -%}
  {%- for column in columns if column.name | lower not in ignored | map('lower') -%}
    {%- if not named or column.name | lower in named + keys | map('lower') | list -%}
      {%- do replayed.append(column) -%}
    {%- endif -%}
  {%- endfor -%}
  {{ return(replayed) }}
{%- endmacro -%}
