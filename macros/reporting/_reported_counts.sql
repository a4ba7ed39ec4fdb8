{# The last batches of a log, oldest first: [{batch_id, at, insert, delete, update, rows}]. #}
{%- macro _reported_counts(reported, batches) -%}
  {%- set sql -%}
with counts as (
    select
        _batch_id as batch_id,
        max(_batch_at) as batch_at,
        count_if(_change_type = 'insert') as inserts,
        count_if(_change_type = 'delete') as deletes,
        count_if(_change_type = 'update' and not {{ deltawave._is_backfill() }}) as updates
    from {{ reported.relation }}
    group by _batch_id
)

select
    batch_id,
    {{ deltawave._utc_text('batch_at') }} as batch_at,
    inserts,
    deletes,
    updates,
    sum(inserts - deletes) over (order by batch_id) as row_count
from counts
order by batch_id desc
limit {{ batches | int }}
  {%- endset -%}
  {%- set counts = [] -%}
  {%- for row in run_query(sql).rows -%}
    {%- do counts.insert(0, {
      'batch_id': row[0] | int, 'at': row[1], 'insert': row[2] | int, 'delete': row[3] | int, 'update': row[4] | int, 'rows': row[5] | int,
    }) -%}
  {%- endfor -%}
  {%- set days = counts | map(attribute='at') | select('in', deltawave._midnights(counts)) | list -%}
  {%- for count in counts -%}
    {%- do count.update(at=count['at'][:10] if days | length == counts | length else count['at'][:16] | replace('T', ' ')) -%}
  {%- endfor -%}
  {{ return(counts) }}
{%- endmacro -%}

{%- macro _midnights(counts) -%}
  {%- set midnights = [] -%}
  {%- for count in counts if count['at'].endswith('T00:00:00.000000Z') -%}{%- do midnights.append(count['at']) -%}{%- endfor -%}
  {{ return(midnights) }}
{%- endmacro -%}

{%- macro _counts_lines(reported, counts) -%}
  {%- set heads = ['batch', 'date', 'inserts', 'deletes', 'updates'] + (['rows'] if reported.knows_rows else []) -%}
  {%- set rows = [heads] -%}
  {%- for count in counts -%}
    {%- set numbers = [count['insert'], count['delete'], count['update']] + ([count['rows']] if reported.knows_rows else []) -%}
    {%- set cells = [count['batch_id'] | string, count['at']] -%}
    {%- for number in numbers -%}{%- do cells.append('{:,}'.format(number)) -%}{%- endfor -%}
    {%- do rows.append(cells) -%}
  {%- endfor -%}
  {{ return(deltawave._aligned(rows, 'rl' ~ 'r' * (heads | length - 2))) }}
{%- endmacro -%}

{# Lines of a table: columns as wide as their widest cell, aligned left (l) or right (r). #}
{%- macro _aligned(rows, sides) -%}
  {%- set lines = [] -%}
  {%- for row in rows -%}
    {%- set cells = [] -%}
    {%- for cell in row -%}
      {%- set place = loop.index0 -%}
      {%- set width = rows | map(attribute=place) | map('length') | max -%}
      {%- do cells.append(cell.ljust(width) if sides[place] == 'l' else cell.rjust(width)) -%}
    {%- endfor -%}
    {%- do lines.append(('  ' ~ cells | join('  ')).rstrip()) -%}
  {%- endfor -%}
  {{ return(lines) }}
{%- endmacro -%}
