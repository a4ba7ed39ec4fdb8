{# The keys that have only flagged rows in the slice, and when they were last flagged. #}
{%- macro _flagged_keys(job, batch) -%}
  {%- set updated_at = deltawave._quoted(job.settings.updated_at) -%}
  {%- set keys = deltawave._quoted_list(job.settings.unique_key) | join(', ') -%}
select
    {{ keys }},
    max({{ updated_at }}) as {{ updated_at }}
from {{ batch.landed }}
group by {{ keys }}
having bool_and(is_flagged)
{%- endmacro -%}

{#
  A key is not deleted while it has a live row: the application may have left a tombstone and changed only the
  tombstone's timestamp. So live rows of the keys that would be deleted are searched at the source, whatever their
  timestamp, and join the slice. The high-water mark was computed before, since others may have written between the two
  reads.
#}
{%- macro _land_standing_rows(job, batch, old, incoming) -%}
  {%- set keys = job.settings.unique_key -%}
  {%- set deleted -%}
(
    select {{ deltawave._quoted_list(keys, 'previous') | join(', ') }}
    from {{ deltawave._indented(old) }} as previous
    left anti join {{ incoming }} as incoming
        on {{ deltawave._same_key(keys, 'previous', 'incoming') }}
)
  {%- endset -%}
  {%- if deltawave._row_count(job, deleted) -%}
    {%- set few = deltawave._few_values(job, deleted, batch.columns | selectattr('is_key') | list) -%}
    {%- set standing -%}
from (
    {{ deltawave._indented(deltawave._rows_with_values(job, few)) }}
) as standing
left semi join {{ deleted }} as deleted
    on {{ deltawave._same_key(keys, 'standing', 'deleted') }}
where not {{ job.flag.sql }}
    and {{ deltawave._has_few_values(few) }}
    {%- endset -%}
    {%- if deltawave._run(job, 'select count(*) as row_count\n' ~ standing).rows[0][0] | int -%}
      {%- set select = 'select ' ~ deltawave._dump_names(batch, 'standing') | join(', ') ~ ', false as is_flagged\n'
          ~ standing -%}
      {%- do deltawave._run(job, 'insert into ' ~ batch.landed ~ '\n' ~ deltawave._hashed_slice(job, select)) -%}
    {%- endif -%}
  {%- endif -%}
{%- endmacro -%}

{# A delete shows the last row that was read, but with the time of its flagging as its timestamp: see logged_deletes. #}
{%- macro _with_flagged_time(job, batch, old) -%}
  {%- set updated_at = job.settings.updated_at | lower -%}
  {%- set sql -%}
(
    select
        {%- for column in batch.columns %}
        {%- set name = deltawave._quoted(column.name) %}
        {%- set value = 'coalesce(flagged.' ~ name ~ ', previous.' ~ name ~ ') as ' ~ name %}
        {{ value if column.name | lower == updated_at else 'previous.' ~ name }}{{ ',' if not loop.last }}
        {%- endfor %}
    from {{ deltawave._indented(old) }} as previous
    left join (
        {{ deltawave._indented(deltawave._indented(deltawave._flagged_keys(job, batch))) }}
    ) as flagged
        on {{ deltawave._same_key(job.settings.unique_key, 'previous', 'flagged') }}
)
  {%- endset -%}
  {{ return(sql) }}
{%- endmacro -%}
