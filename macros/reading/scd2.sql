{#
  The history of each key from its change log: one row per version, with valid_from, valid_to (null while it is current) and is_current. A delete
  ends a version, a key that comes back starts a new one. A backfill only updates the open version; so does, with track_columns, a change of other
  columns.
#}
{%- macro scd2(log, unique_key, track_columns=none, valid_from='valid_from', valid_to='valid_to', is_current='is_current') -%}
  {{ return(adapter.dispatch('scd2', 'deltawave')(log, unique_key, track_columns, valid_from, valid_to, is_current)) }}
{%- endmacro -%}

{%- macro default__scd2(log, unique_key, track_columns, valid_from, valid_to, is_current) -%}
  {%- set keys = deltawave._key_list(unique_key, 'scd2') -%}
  {%- if not execute -%}{{ return('') }}{%- endif -%}
  {%- set names = deltawave._data_columns(log, none, 'scd2') -%}
  {%- do deltawave._require_columns(keys + (track_columns or []), names, log, 'scd2') -%}
  {%- for name in [valid_from, valid_to, is_current] if name | lower in names | map('lower') -%}
    {%- do deltawave._fail('existing_name', {'macro': 'scd2', 'column': name}) -%}
  {%- endfor -%}
  {%- set by_key = deltawave._quoted_list(keys) | join(', ') -%}
with changes as (
    select
        {{ deltawave._quoted_list(names) | join(',\n        ') }},
        `_change_type`,
        `_batch_id`,
        `_batch_at`,
        {{ deltawave._opens_version(track_columns) }} as `_opens_version`
    from {{ log }}
),

-- Within a batch deletes come before inserts (LG96 1.1).
numbered as (
    select
        changes.*,
        sum(if(`_opens_version`, 1, 0)) over (
            partition by {{ by_key }}
            order by `_batch_id`, if(`_change_type` = 'delete', 0, 1)
            rows between unbounded preceding and current row
        ) as `_version`
    from changes
),

placed as (
    select
        numbered.*,
        min(`_batch_at`) over (partition by {{ by_key }}, `_version`) as `_opened_at`,
        row_number() over (partition by {{ by_key }}, `_version` order by `_batch_id` desc) as `_recency`
    from numbered
),

versions as (
    select
        placed.*,
        lead(`_opened_at`) over (partition by {{ by_key }} order by `_version`) as `_closed_at`
    from placed
    where `_recency` = 1
)

select
    {{ deltawave._quoted_list(names) | join(',\n    ') }},
    `_opened_at` as {{ deltawave._quoted(valid_from) }},
    `_closed_at` as {{ deltawave._quoted(valid_to) }},
    `_closed_at` is null as {{ deltawave._quoted(is_current) }}
from versions
where `_change_type` <> 'delete'
{%- endmacro -%}

{#
  Does a change end the version before it? A backfill or an update of untracked columns does not. An update whose changed columns the log
  does not record may be of tracked ones.
#}
{%- macro _opens_version(track_columns) -%}
  {%- if not track_columns -%}
    {{ return('not ' ~ deltawave._is_backfill()) }}
  {%- endif -%}
  {%- set tracked = [] -%}
  {%- for name in track_columns -%}{%- do tracked.append(deltawave._literal(name | lower)) -%}{%- endfor -%}
  {{ return(
    "`_change_type` <> 'update' or coalesce(exists(`_changed_columns`, name -> lower(name) in (" ~ tracked | join(', ') ~ ')), true)'
  ) }}
{%- endmacro -%}
