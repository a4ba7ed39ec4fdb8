{#
  A change log without useless delete-insert pairs: the post-processor that LG96 6 plans for the window algorithm. A
  delete and an insert of one key in one batch become an update, or nothing if the rows are the same; everything else
  passes unchanged.
#}
{%- macro filter_useless_pairs(log, unique_key) -%}
  {%- set keys = deltawave._key_list(unique_key, 'filter_useless_pairs') -%}
  {%- if not execute -%}{{ return('') }}{%- endif -%}
  {%- set names = deltawave._data_columns(log, none, 'filter_useless_pairs') -%}
  {%- do deltawave._require_columns(keys, names, log, 'filter_useless_pairs') -%}
  {%- set pair_keys = keys | map('lower') | list + ['_batch_id', '_batch_at'] -%}
  {%- set columns = [] -%}
  {%- for column in deltawave._columns_of(log) if column.name in names + ['_batch_id', '_batch_at'] -%}
    {%- set described = {
      'name': column.name, 'data_type': column.data_type, 'is_key': column.name | lower in pair_keys,
    } -%}
    {%- do columns.append(deltawave._compared_column({}, described, true, true)) -%}
  {%- endfor -%}
  {%- set data_columns = columns | selectattr('name', 'in', names) | list -%}
  {%- do deltawave._require_before(log, data_columns | rejectattr('is_key') | list, 'filter_useless_pairs') -%}
with deletes as (
    select * from {{ log }}
    where `_change_type` = 'delete'
),

inserts as (
    select * from {{ log }}
    where `_change_type` = 'insert'
),

-- The net effect of a batch is the difference between its deletes and its inserts.
paired as (
    {{ deltawave._indented(deltawave._changes_between('deletes', 'inserts', columns, {
      'strategy': 'outer_join', 'before_image': 'auto',
    })) }}
),

batched as (
    select
        paired.*,
        `_batch_id` as batch_id,
        `_batch_at` as batch_at
    from paired
)

select
    {{ deltawave._contract_columns(data_columns, has_before=true, alias='batched') }}
from batched
union all
select
    {{ deltawave._quoted_list(names) | join(',\n    ') }},
    `_change_type`,
    `_changed_columns`,
    `_before`,
    `_batch_id`,
    `_batch_at`
from {{ log }}
where `_change_type` = 'update'
{%- endmacro -%}
