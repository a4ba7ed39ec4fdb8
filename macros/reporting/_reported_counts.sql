{#
  The last batches of a log, oldest first, or only one: [{batch_id, dump, at, insert, delete, update, backfilled,
  quarantined, rows}]. A batch that only quarantined rows has no row in the log. dump: what names the dump, none where
  the times of all batches are the dates of dumps.
#}
{%- macro _reported_counts(reported, batches, batch=none) -%}
  {%- set sql -%}
with counts as (
    select
        _batch_id as batch_id,
        max(_batch_at) as batch_at,
        count_if(_change_type = 'insert') as inserts,
        count_if(_change_type = 'delete') as deletes,
        count_if(_change_type = 'update' and not {{ deltawave._is_backfill() }}) as updates,
        count_if({{ deltawave._is_backfill() }}) as backfilled
    from {{ reported.relation }}
    group by _batch_id
),

-- What is recorded of each batch besides its changes, where the log has a table of batches.
recorded as (
    {%- if reported.batches %}
    select distinct
        batch_id,
        batch_at,
        snapshot_date,
        quarantined
    from {{ deltawave._indented(deltawave._standing_batches(reported.batches)) }}
    -- Batches of a log that was rebuilt, or whose first batches were merged, are no longer shown.
    where batch_id >= coalesce((select min(_batch_id) from {{ reported.relation }}), 0)
    {%- else %}
    select
        cast(null as bigint) as batch_id,
        cast(null as timestamp) as batch_at,
        cast(null as string) as snapshot_date,
        cast(null as bigint) as quarantined
    where false
    {%- endif %}
),

joined as (
    select
        coalesce(counts.batch_id, recorded.batch_id) as batch_id,
        coalesce(counts.batch_at, recorded.batch_at) as batch_at,
        recorded.snapshot_date,
        coalesce(counts.inserts, 0) as inserts,
        coalesce(counts.deletes, 0) as deletes,
        coalesce(counts.updates, 0) as updates,
        coalesce(counts.backfilled, 0) as backfilled,
        coalesce(recorded.quarantined, 0) as quarantined
    from counts
    full outer join recorded on counts.batch_id = recorded.batch_id
    where counts.batch_id is not null or recorded.quarantined > 0
),

numbered as (
    select
        *,
        sum(inserts - deletes) over (order by batch_id) as row_count
    from joined
)

select
    batch_id,
    {{ deltawave._utc_text('batch_at') }} as batch_at,
    inserts,
    deletes,
    updates,
    backfilled,
    quarantined,
    row_count,
    {{ deltawave._without_controls('snapshot_date') }} as dump
from numbered
{%- if batch is not none %}
where batch_id = {{ batch | int }}
{%- endif %}
order by batch_id desc
limit {{ batches | int }}
  {%- endset -%}
  {%- set counts = [] -%}
  {%- for row in run_query(sql).rows -%}
    {%- do counts.insert(0, {
      'batch_id': row[0] | int, 'at': row[1], 'insert': row[2] | int, 'delete': row[3] | int, 'update': row[4] | int,
      'backfilled': row[5] | int, 'quarantined': row[6] | int, 'rows': row[7] | int,
      'dump': row[8] if row[8] is none else row[8] | string,
    }) -%}
  {%- endfor -%}
  {%- set named = [] -%}
  {%- for count in counts if count.dump is not none and count.dump[:10] != count['at'][:10] -%}
    {%- do named.append(count) -%}
  {%- endfor -%}
  {%- set times = [] -%}
  {%- for count in counts if not count['at'].endswith('T00:00:00.000000Z') -%}
    {%- do times.append(count['at']) -%}
  {%- endfor -%}
  {%- for count in counts -%}
    {%- do count.update(
      at=count['at'][:16] | replace('T', ' ') if times else count['at'][:10],
      dump=count.dump | default('', true) | truncate(60, true) if named else none,
    ) -%}
  {%- endfor -%}
  {{ return(counts) }}
{%- endmacro -%}

{%- macro _counts_lines(reported, counts) -%}
  {%- set shown = ['insert', 'delete', 'update'] -%}
  {%- for name in ['backfilled', 'quarantined'] if counts | map(attribute=name) | sum -%}
    {%- do shown.append(name) -%}
  {%- endfor -%}
  {%- if reported.knows_rows -%}{%- do shown.append('rows') -%}{%- endif -%}
  {%- set is_named = counts[0].dump is not none -%}
  {%- set heads = ['batch'] + (['dump'] if is_named else []) + ['date'] -%}
  {%- for name in shown -%}
    {%- do heads.append(name ~ ('s' if name in ['insert', 'delete', 'update'] else '')) -%}
  {%- endfor -%}
  {%- set rows = [heads] -%}
  {%- for count in counts -%}
    {%- set cells = [count['batch_id'] | string] + ([count.dump] if is_named else []) + [count['at']] -%}
    {%- for name in shown -%}{%- do cells.append(deltawave._with_commas(count[name])) -%}{%- endfor -%}
    {%- do rows.append(cells) -%}
  {%- endfor -%}
  {{ return(deltawave._aligned(rows, 'r' ~ ('ll' if is_named else 'l') ~ 'r' * shown | length)) }}
{%- endmacro -%}

{# Lines of a table: columns as wide as their widest cell, aligned left (l) or right (r). #}
{%- macro _aligned(rows, sides) -%}
  {%- set lines = [] -%}
  {%- for row in rows -%}
    {%- set cells = [] -%}
    {%- for cell in row -%}
      {%- set place = loop.index0 -%}
      {%- set width = rows | map(attribute=place) | map('length') | max -%}
      {%- set blanks = ' ' * (width - cell | length) -%}
      {%- do cells.append(cell ~ blanks if sides[place] == 'l' else blanks ~ cell) -%}
    {%- endfor -%}
    {%- do lines.append(('  ' ~ cells | join('  ')).rstrip()) -%}
  {%- endfor -%}
  {{ return(lines) }}
{%- endmacro -%}
