{#
  The versions of the rows of `changes`, as a table of versions stores them. base: that table's rows; then the open
  versions of the changed rows are among the result, as they are now. Every other version in it is new.
#}
{%- macro _followed_versions(job, work, changes, base=none) -%}
  {%- set settings = job.settings -%}
  {%- set names = work.columns | map(attribute='name') | list -%}
  {%- set versioned -%}
select
    {{ deltawave._quoted_list(names) | join(',\n    ') }},
    `_change_type`,
    `_batch_id`,
    `_batch_at`,
    `_batch_at` as `_changed_at`,
    {{ deltawave._opens_version(settings.track_columns) }} as `_opens_version`
from {{ deltawave._indented(changes) }}
{%- if settings.hard_deletes == 'ignore' %}
where `_change_type` <> 'delete'
{%- endif %}
{%- if base %}
union all
-- An open version is like the change that opened it.
select
    {{ deltawave._quoted_list(names, 'open_versions') | join(',\n    ') }},
    if(open_versions.`_is_deleted`, 'delete', 'insert') as `_change_type`,
    open_versions.`_opened_by` as `_batch_id`,
    open_versions.`_valid_from` as `_batch_at`,
    open_versions.`_updated_at` as `_changed_at`,
    true as `_opens_version`
from {{ deltawave._indented(base) }} as open_versions
left semi join {{ deltawave._indented(changes) }} as changed
    on {{ deltawave._same_key(settings.unique_key, 'open_versions', 'changed') }}
where open_versions.`_valid_to` is null
{%- endif %}
  {%- endset -%}
  {%- set keys = settings.unique_key | map('lower') | list -%}
  {%- set hashed = [] -%}
  {%- for column in work.columns if column.name | lower in keys -%}{%- do hashed.append(column) -%}{%- endfor -%}
  {%- do hashed.append({'name': '_opened_by', 'data_type': 'bigint'}) -%}
{{ deltawave._versions(versioned, settings.unique_key) }}

select
    {{ deltawave._quoted_list(names) | join(',\n    ') }},
    `_opened_by`,
    `_opened_at` as `_valid_from`,
    `_closed_at` as `_valid_to`,
    `_changed_at` as `_updated_at`,
    `_change_type` = 'delete' as `_is_deleted`,
    {{ deltawave.row_checksum(hashed, bits=128) }} as `_scd_id`
from versions
where `_change_type` <> 'delete'
{%- if settings.hard_deletes == 'new_record' %}
    -- A delete and an insert in one batch are an update.
    or not (`_closed_by` <=> `_opened_by`)
{%- endif %}
{%- endmacro -%}

{# All versions of a table with new changes: closed ones, those of unchanged rows, and those of changed rows. #}
{%- macro _rebuild_versions(job, work, changes, base) -%}
  {%- set names = deltawave._columns_of_follower(job, work.columns) | map(attribute='name') | list -%}
select
    {{ deltawave._quoted_list(names, 'base_side') | join(',\n    ') }}
from {{ deltawave._indented(base) }} as base_side
left anti join {{ deltawave._indented(changes) }} as changed
    on base_side.`_valid_to` is null
    and {{ deltawave._same_key(job.settings.unique_key, 'base_side', 'changed') }}
union all
select
    {{ deltawave._quoted_list(names) | join(',\n    ') }}
from (
    {{ deltawave._indented(deltawave._followed_versions(job, work, changes, base)) }}
)
{%- endmacro -%}
