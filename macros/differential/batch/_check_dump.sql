{#
  Counts the landed rows and refuses null keys and an empty dump; what becomes of keys that stand more than once, duplicate_keys says.
  One pass, no exchange of rows.
#}
{%- macro _check_dump(job, batch) -%}
  {%- set keys = deltawave._quoted_list(job.settings.unique_key) -%}
  {%- set sql -%}
with keyed as (
    select
        {{ keys | join(', ') }},
        count(*) as `_copies`
    from {{ batch.arrived }}
    group by key_hash, {{ keys | join(', ') }}
)

select
    coalesce(sum(`_copies`), 0) as dump_rows,
    coalesce(sum(if({{ keys | join(' is null and ') }} is null, `_copies`, 0)), 0) as null_keys,
    count_if(`_copies` > 1) as duplicate_keys,
    coalesce(sum(if(`_copies` > 1, `_copies`, 0)), 0) as duplicate_rows
from keyed
  {%- endset -%}
  {%- set found = deltawave._run(job, sql).rows[0] -%}
  {%- set rows = found[0] | int -%}
  {%- do batch.update(rows_new=rows, rows_dump=rows if batch.arrived == batch.landed else deltawave._row_count(job, batch.landed)) -%}
  {%- set null_rows = found[1] | int -%}
  {%- if null_rows > 0 -%}
    {%- do deltawave._refuse(job, batch, 'null_key', {'keys': job.settings.unique_key | join(', '), 'count': null_rows}) -%}
  {%- endif -%}
  {%- if found[2] | int > 0 -%}
    {%- do deltawave._settle_duplicates(job, batch, found[2] | int, found[3] | int) -%}
  {%- endif -%}
  {%- if rows == 0 and (batch.is_first or not batch.is_slice) and not job.settings.allow_empty and not deltawave._is_accepted(job) -%}
    {%- do deltawave._refuse(job, batch, 'empty_dump', {'rows_old': batch.rows_old}) -%}
  {%- endif -%}
{%- endmacro -%}
