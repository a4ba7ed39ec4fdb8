{#
  Writes the changes to merge into a table: its columns; of current rows, whether the row is deleted (_deletes); of
  versions, whether the row is the open version that the table has (_was_open), otherwise it is a new one.
#}
{%- macro _create_patch(job, patch, work, changes, base) -%}
  {%- set columns = deltawave._columns_of_follower(job, work.columns) -%}
  {%- set names = columns | map(attribute='name') | list -%}
  {%- set is_versioned = job.settings.kind == 'scd2' -%}
  {%- set rows -%}
{%- if is_versioned -%}
{{ deltawave._followed_versions(job, work, changes, base) }}
{%- else -%}
{{ deltawave._last_changes(changes, job.settings.unique_key, names) }}
{%- endif -%}
  {%- endset -%}
  {%- set sql -%}
create table {{ deltawave._attempt_relation(job, patch) }}
using {{ job.settings.file_format }}
{{ deltawave._name_mapping(job.settings.file_format, columns) }}
as
with changed as (
    {{ deltawave._indented(rows) }}
)

select
    {{ deltawave._quoted_list(names) | join(',\n    ') }},
    {{ '`_opened_by` <= ' ~ work.after ~ ' as `_was_open`' if is_versioned
        else "`_change_type` = 'delete' as `_deletes`" }}
from changed
  {%- endset -%}
  {%- do deltawave._run(job, sql) -%}
{%- endmacro -%}

{#
  Merges the patch of a decided batch into its table, once: a table that has the batch is not changed by a run that
  finishes it a second time, nor by one that wakes up when others have continued. The row without values, whose number
  says which batches the table has, changes in the same statement.
#}
{%- macro default___merge_patch(job, record) -%}
  {%- if record.patch -%}
    {%- do deltawave._refresh(job, record.file_format, [deltawave._attempt_relation(job, record.rows)]) -%}
    {%- do deltawave._run(job, deltawave._merge_of_patch(job, record)) -%}
  {%- endif -%}
{%- endmacro -%}

{%- macro _merge_of_patch(job, record) -%}
  {%- set is_versioned = record.materialization == 'scd2' -%}
  {%- set columns = record.columns + (deltawave._version_columns() if is_versioned else []) -%}
  {%- set names = columns | map(attribute='name') | list -%}
  {%- set keys = record.unique_key | map('lower') | list -%}
  {%- set set = [] -%}
  {%- for name in names + ['_applied'] if name | lower not in keys -%}
    {%- do set.append(deltawave._quoted(name) ~ ' = changes.' ~ deltawave._quoted(name)) -%}
  {%- endfor -%}
  {%- set flag = '`_was_open`' if is_versioned else '`_deletes`' -%}
  {%- set rows = deltawave._attempt_relation(job, record.rows) -%}
  {%- set is_new -%}
(
    select max(`_applied`) as last_batch
    from {{ rows }}
    where `_applied` is not null
) as merged
    on merged.last_batch < {{ record.batch_id }}
  {%- endset -%}
merge into {{ rows }} as base_side
using (
    select
        {{ deltawave._quoted_list(names, 'patch') | join(',\n        ') }},
        patch.{{ flag }},
        cast(null as bigint) as `_applied`
    from {{ deltawave._attempt_relation(job, record.patch) }} as patch
    inner join {{ is_new | indent }}
    union all
    select
        {{ deltawave._null_columns(columns) | join(',\n        ') }},
        {{ 'true' if is_versioned else 'false' }} as {{ flag }},
        cast({{ record.batch_id }} as bigint) as `_applied`
    from (select 1 as one) as marked
    inner join {{ is_new | indent }}
) as changes
    on isnull(base_side.`_applied`) = isnull(changes.`_applied`)
    and {{ deltawave._same_key(record.unique_key, 'base_side', 'changes') }}
    {%- if is_versioned %}
    and changes.`_was_open`
    and base_side.`_valid_to` is null
    {%- endif %}
{%- if not is_versioned %}
when matched and changes.`_deletes` then delete
{%- endif %}
when matched then update set
    {{ set | join(',\n    ') }}
when not matched{{ '' if is_versioned else ' and not changes.`_deletes`' }} then insert (
    {{ deltawave._quoted_list(names + ['_applied']) | join(',\n    ') }}
) values (
    {{ deltawave._quoted_list(names + ['_applied'], 'changes') | join(',\n    ') }}
)
{%- endmacro -%}
