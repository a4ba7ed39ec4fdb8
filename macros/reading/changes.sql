{#
  A change log in the vocabulary of Spark's CHANGES clause and Delta's change data feed: _change_type is insert,
  delete, update_preimage or update_postimage, with _commit_version (the batch) and _commit_timestamp. An update is two
  rows, or only a postimage if the log does not hold the row before it.
#}
{%- macro changes(log, unique_key) -%}
  {%- set keys = deltawave._key_list(unique_key, 'changes') -%}
  {%- if not execute -%}{{ return('') }}{%- endif -%}
  {%- set names = deltawave._data_columns(log, none, 'changes') -%}
  {%- do deltawave._require_columns(keys, names, log, 'changes') -%}
  {%- set keys = keys | map('lower') | list -%}
  {%- do deltawave._require_before(log, names | reject('in', keys) | list, 'changes') -%}
select
    {{ deltawave._quoted_list(names) | join(',\n    ') }},
    if(`_change_type` = 'update', 'update_postimage', `_change_type`) as `_change_type`,
    `_batch_id` as `_commit_version`,
    `_batch_at` as `_commit_timestamp`
from {{ log }}
union all
select
    {%- for name in names %}
    {{ '' if name | lower in keys else '`_before`.' }}{{ deltawave._quoted(name) }},
    {%- endfor %}
    'update_preimage' as `_change_type`,
    `_batch_id` as `_commit_version`,
    `_batch_at` as `_commit_timestamp`
from {{ log }}
where `_change_type` = 'update' and `_before` is not null
{%- endmacro -%}

{# Stops if a log has no before images, for a reader that needs them. #}
{%- macro _require_before(log, names, macro_name) -%}
  {%- set types = deltawave._types_of(deltawave._columns_of(log)) -%}
  {%- if names and types.get('_before', 'struct<>') == 'struct<>' -%}
    {%- do deltawave._fail('no_before', {'macro': macro_name, 'log': log | string}) -%}
  {%- endif -%}
{%- endmacro -%}
