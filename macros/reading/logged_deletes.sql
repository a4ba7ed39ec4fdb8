{#
  The keys whose delete the log has recorded: rows that a source with a delete flag may remove for good, as CH98 3.2.2
  does once changes are extracted. The timestamp is that of the flagged row as it was read. A row that is not newer and
  still flagged may be removed; a row that has come back, or was flagged again since, has not been read yet. A key that
  came back is not listed.

  log: the model, by strategy timestamp_delete_flag.
#}
{%- macro logged_deletes(log, unique_key, updated_at) -%}
  {%- set keys = deltawave._key_list(unique_key, 'logged_deletes') -%}
  {%- set names = keys + [updated_at, '_batch_id'] -%}
select
    {{ deltawave._quoted_list(names) | join(',\n    ') }}
from (
    {{ deltawave._indented(deltawave._last_changes(log, keys, names)) }}
)
where `_change_type` = 'delete'
{%- endmacro -%}
