{#
  A change log without useless delete-insert pairs: the post-processor that LG96 6 plans for the window algorithm. A delete and an
  insert of one key in one batch become an update, or nothing where the rows are the same; everything else passes as it is.
#}
{%- macro filter_useless_pairs(log, unique_key) -%}
  {{ return(adapter.dispatch('filter_useless_pairs', 'deltawave')(log, unique_key)) }}
{%- endmacro -%}

{%- macro default__filter_useless_pairs(log, unique_key) -%}
  {%- set keys = deltawave._key_list(unique_key, 'filter_useless_pairs') -%}
  {%- if not execute -%}{{ return('') }}{%- endif -%}
  {%- set names = deltawave._data_columns(log, none, 'filter_useless_pairs') -%}
  {%- do deltawave._require_columns(keys, names, log, 'filter_useless_pairs') -%}
  {%- set pair_keys = keys | map('lower') | list + ['_batch_id', '_batch_at'] -%}
  {%- set columns = [] -%}
  {%- set before = [] -%}
  {%- for column in deltawave._columns_of(log) if column.name in names + ['_batch_id', '_batch_at'] -%}
    {%- set is_key = column.name | lower in pair_keys -%}
    {%- do columns.append(deltawave._compared_column({}, {'name': column.name, 'data_type': column.data_type, 'is_key': is_key}, true, true)) -%}
    {%- if not is_key -%}
      {%- do before.append(deltawave._literal(column.name) ~ ', `before__' ~ column.name | replace('`', '``') ~ '`') -%}
    {%- endif -%}
  {%- endfor -%}
  {%- do deltawave._require_before(log, before, 'filter_useless_pairs') -%}
with deletes as (
    select * from {{ log }}
    where `_change_type` = 'delete'
),

inserts as (
    select * from {{ log }}
    where `_change_type` = 'insert'
),

-- What lies between the deletes and the inserts of a batch is what the batch did.
paired as (
    {{ deltawave._changes_between('deletes', 'inserts', columns, {'strategy': 'outer_join', 'before_image': 'auto'}) | indent }}
)

select
    {{ deltawave._quoted_list(names) | join(',\n    ') }},
    change_type as `_change_type`,
    changed_columns as `_changed_columns`,
    {%- if before %}
    case when change_type = 'update' then named_struct(
        {{ before | join(',\n        ') }}
    ) end as `_before`,
    {%- else %}
    cast(null as struct<>) as `_before`,
    {%- endif %}
    `_batch_id`,
    `_batch_at`
from paired
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
