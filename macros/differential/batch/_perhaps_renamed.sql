{#
  For the message of a refused dump: which added columns have the values of dropped ones, in rows with the same key.
  One query, over some of the previous rows and at most 5 pairs of columns.
#}
{%- macro _perhaps_renamed(job, last, snapshot_date, added, dropped) -%}
  {%- set keys, pairs, columns = job.settings.unique_key or [], [], [] -%}
  {%- for old in dropped -%}{%- for new in added -%}{%- do pairs.append([old, new]) -%}{%- endfor -%}{%- endfor -%}
  {%- for column in last.columns if column.is_key or column.name | lower in dropped -%}
    {%- do columns.append(column) -%}
  {%- endfor -%}
  {%- if not pairs or not keys or job.remote or columns | rejectattr('in_copy') | list -%}{{ return('') }}{%- endif -%}
  {%- set pairs = pairs[:5] -%}
  {%- set counts = [] -%}
  {%- for pair in pairs -%}
    {%- set old = 'cast(previous.' ~ deltawave._quoted(pair[0]) ~ ' as string)' -%}
    {%- set new = 'cast(dump.' ~ deltawave._quoted(pair[1]) ~ ' as string)' -%}
    {#- Columns that always have the same value have it by chance. -#}
    {%- do counts.append('if(min(' ~ old ~ ') <> max(' ~ old ~ '), count_if(' ~ old ~ ' = ' ~ new ~ '), 0)') -%}
    {%- do counts.append('count(coalesce(' ~ old ~ ', ' ~ new ~ '))') -%}
  {%- endfor -%}
  {%- set sql -%}
select
    {{ counts | join(',\n    ') }}
from (
    select * from (
        {{ deltawave._indented(deltawave._previous_rows(job, last, columns)) | indent }}
    ) limit 10000
) as previous
inner join (
    {{ deltawave._indented(deltawave._rows_of_dump(job, {'snapshot_date': snapshot_date})) }}
) as dump
    on {{ deltawave._same_key(keys, 'previous', 'dump') }}
  {%- endset -%}
  {%- set found = deltawave._run(job, sql).rows[0] -%}
  {%- set hints = [] -%}
  {%- for pair in pairs -%}
    {%- set equal, filled = (found[2 * loop.index0] or 0) | int, found[2 * loop.index0 + 1] | int -%}
    {%- if filled and equal >= 0.95 * filled -%}
      {%- do hints.append(
        '"' ~ pair[0] ~ '" -> "' ~ pair[1] ~ '" (' ~ '%.1f' | format(100.0 * equal / filled) ~ '% equal)'
      ) -%}
    {%- endif -%}
  {%- endfor -%}
  {{ return(' Perhaps renamed: ' ~ hints | join(', ') ~ '.' if hints else '') }}
{%- endmacro -%}
