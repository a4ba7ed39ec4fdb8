{#
  The history of each key from its change log: one row per version, with valid_from, valid_to (null while it is
  current) and is_current. A delete ends a version, a key that comes back starts a new one. A backfill only updates the
  open version; so does, with track_columns, a change of other columns.
#}
{%- macro scd2(
  log, unique_key, track_columns=none, valid_from='valid_from', valid_to='valid_to', is_current='is_current'
) -%}
  {%- set keys = deltawave._key_list(unique_key, 'scd2') -%}
  {%- if not execute -%}{{ return('') }}{%- endif -%}
  {%- set names = deltawave._data_columns(log, none, 'scd2') -%}
  {%- set tracked = deltawave._listed(track_columns or []) -%}
  {%- do deltawave._require_columns(keys + tracked, names, log, 'scd2') -%}
  {%- for name in [valid_from, valid_to, is_current] if name | lower in names | map('lower') -%}
    {%- do deltawave._fail('existing_name', {'macro': 'scd2', 'column': name}) -%}
  {%- endfor -%}
  {%- set changes -%}
select
    {{ deltawave._quoted_list(names) | join(',\n    ') }},
    `_change_type`,
    `_batch_id`,
    `_batch_at`,
    {{ deltawave._opens_version(tracked) }} as `_opens_version`
from {{ log }}
  {%- endset -%}
{{ deltawave._versions(changes, keys) }}

select
    {{ deltawave._quoted_list(names) | join(',\n    ') }},
    `_opened_at` as {{ deltawave._quoted(valid_from) }},
    `_closed_at` as {{ deltawave._quoted(valid_to) }},
    `_closed_at` is null as {{ deltawave._quoted(is_current) }}
from versions
where `_change_type` <> 'delete'
{%- endmacro -%}
