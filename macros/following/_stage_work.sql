{# Writes what a run decides, where no reader looks: {method, rows: the table, patch: changes to merge, or none}. #}
{%- macro _stage_work(job, batch, work, followed, last) -%}
  {%- if work.method == 'show' -%}{{ return({'method': 'show', 'rows': last.rows, 'patch': none}) }}{%- endif -%}
  {%- if last -%}
    {%- do deltawave._refresh(job, last.file_format, [deltawave._attempt_relation(job, last.rows)]) -%}
  {%- endif -%}
  {%- set changes = deltawave._followed_changes(job, work, followed) -%}
  {%- do deltawave._require_all_changes(job, batch, work, followed, changes) -%}
  {%- set base = none if work.method == 'build' else deltawave._base_rows(job, work, last) -%}
  {%- if work.method == 'merge' -%}
    {#- Readers do not see a new column yet. Where a failed attempt has added one of another type, all is rewritten. -#}
    {%- set added = work.columns | selectattr('was', 'none') | list -%}
    {%- if not added or deltawave._add_columns(job, deltawave._attempt_relation(job, last.rows), added) -%}
      {%- set patch = deltawave._own_table(batch, 'patch') -%}
      {%- do deltawave._create_patch(job, patch, work, changes, base) -%}
      {{ return({'method': 'merge', 'rows': last.rows, 'patch': patch}) }}
    {%- endif -%}
  {%- endif -%}
  {%- set rows = deltawave._own_table(batch, 'rows') -%}
  {%- do deltawave._create_rows(job, batch, rows, work, deltawave._rows_now(job, work, changes, base)) -%}
  {{ return({'method': 'build' if work.method == 'build' else 'rewrite', 'rows': rows, 'patch': none}) }}
{%- endmacro -%}

{# All columns that a table stores. #}
{%- macro _columns_of_follower(job, columns) -%}
  {%- set of_versions = deltawave._version_columns() if job.settings.kind == 'scd2' else [] -%}
  {{ return(deltawave._stored_columns(columns) + of_versions) }}
{%- endmacro -%}

{#
  The log's batches that the table does not have, by the model's select; columns that it does not return are null, as
  they are in the log.
#}
{%- macro _followed_changes(job, work, followed) -%}
(
    select
        {%- for column in work.columns %}
        {%- set name = deltawave._quoted(column.name) %}
        {{ name if column.is_shown else 'cast(null as ' ~ column.data_type ~ ') as ' ~ name }},
        {%- endfor %}
        {{ deltawave._quoted_list(deltawave._required_log_columns(job)) | join(',\n        ') }}
    from {{ deltawave._indented(job.sql) }}
    where `_batch_id` > {{ work.after }} and `_batch_id` <= {{ followed.batch_id }}
)
{%- endmacro -%}

{#
  Refuses a select that does not return each of the log's new changes once: with a filter, a row that leaves it would
  stay in the table as it was. Of the log itself no column of a row is read.
#}
{%- macro _require_all_changes(job, batch, work, followed, changes) -%}
  {%- set sql -%}
select
    (select count(*) from {{ deltawave._indented(changes) }}) as selected,
    (
        select count(*)
        from {{ followed.job.target }}
        where `_batch_id` > {{ work.after }} and `_batch_id` <= {{ followed.batch_id }}
    ) as logged
  {%- endset -%}
  {%- set counts = deltawave._run(job, sql).rows[0] -%}
  {%- if counts[0] | int != counts[1] | int -%}
    {%- do deltawave._refuse(job, batch, 'filtered_changes', {
      'log': followed.name, 'selected': counts[0], 'logged': counts[1],
    }) -%}
  {%- endif -%}
{%- endmacro -%}

{# The rows of the table as it is, in its next columns. #}
{%- macro _base_rows(job, work, last) -%}
(
    select
        {%- for column in work.columns %}
        {%- set name = deltawave._quoted(column.name) %}
        {{ name if column.was == column.data_type else 'cast(' ~ (name if column.was else 'null') ~ ' as '
            ~ column.data_type ~ ') as ' ~ name }}
        {{- ',' if not loop.last or job.settings.kind == 'scd2' }}
        {%- endfor %}
        {%- if job.settings.kind == 'scd2' %}
        {{ deltawave._quoted_list(deltawave._version_columns() | map(attribute='name')) | join(',\n        ') }}
        {%- endif %}
    from {{ deltawave._attempt_relation(job, last.rows) }}
    {%- if deltawave._is_merged(last.file_format) %}
    where `_applied` is null
    {%- endif %}
)
{%- endmacro -%}

{# All rows of the table with its new batches; base: its rows as they are, none if it is built. #}
{%- macro _rows_now(job, work, changes, base) -%}
  {%- set keys, columns = job.settings.unique_key, deltawave._stored_columns(work.columns) -%}
  {%- set duplicate_keys = 'multiset' if job.settings.is_multiset else 'fail' -%}
  {%- if job.settings.kind == 'current_state' and base -%}
    {{ return(deltawave.apply_changes(changes, base, keys, columns=columns, duplicate_keys=duplicate_keys)) }}
  {%- elif job.settings.kind == 'current_state' -%}
    {{ return(deltawave.current_state(changes, keys, columns=columns, duplicate_keys=duplicate_keys)) }}
  {%- elif base -%}
    {{ return(deltawave._rebuild_versions(job, work, changes, base)) }}
  {%- endif -%}
  {{ return(deltawave._followed_versions(job, work, changes)) }}
{%- endmacro -%}

{# Writes a table. One that takes merges has one more row, which only names the last batch that was merged into it. #}
{%- macro _create_rows(job, batch, rows, work, select) -%}
  {%- set columns = deltawave._columns_of_follower(job, work.columns) -%}
  {%- set is_merged = deltawave._is_merged(job.settings.file_format) -%}
  {%- set sql -%}
create table {{ deltawave._attempt_relation(job, rows) }}
using {{ job.settings.file_format }}
{{ deltawave._name_mapping(job.settings.file_format, columns) }}
as
with built as (
    {{ deltawave._indented(select) }}
)

select /*+ rebalance */
    {{ deltawave._quoted_list(columns | map(attribute='name')) | join(',\n    ') }}
    {%- if is_merged %},
    cast(null as bigint) as `_applied`
    {%- endif %}
from built
{%- if is_merged %}
union all
select
    {{ deltawave._null_columns(columns) | join(',\n    ') }},
    cast({{ batch.batch_id }} as bigint) as `_applied`
{%- endif %}
  {%- endset -%}
  {%- do deltawave._run(job, sql) -%}
{%- endmacro -%}
