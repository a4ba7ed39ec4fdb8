{#
  What earlier runs recorded of each date: {date: {is_compared, batch_id, rows, checksum, files, seen_checksum,
  is_other, is_void}}, of a compared date also snapshot_date and batch_at. Of a log that is rewound, or that a run is about to
  rewind, only what that leaves.

    rows, checksum  of the dump when it was compared; the batch is the one that compared it
    files           the digest of the date's files when its rows were last read
    seen_checksum   of the rows at that time, if that was after the comparison
    is_other        whether these rows were others than the compared ones
    is_void         whether keys were erased since, which erased: skip leaves out of the rows now

  A date that is not compared came too late.
#}
{%- macro _known_dates(job, record) -%}
  {%- set known = {} -%}
  {%- if record -%}
    {%- set sql -%}
select distinct
    batch_id,
    snapshot_date,
    rows_dump,
    dump_checksum,
    dump_files,
    {{ deltawave._utc_text('batch_at') }} as dump_at,
    {{ deltawave._utc_text('decided_at') }} as known_at
from {{ deltawave._standing_batches(deltawave._batches_so_far(job, record)) }}
where
    batch_id >= {{ record.generation }}
    and snapshot_date is not null
    {%- if record.rewound_to %}
    and batch_id <= {{ record.rewound_to }}
    {%- endif %}
order by batch_id desc
    {%- endset -%}
    {#- An operation has the date of the batch before it, so the first batch of a date is the one that compared it. -#}
    {%- for row in deltawave._run(job, sql).rows -%}
      {%- do known.update({row[1] | string: {
        'is_compared': true, 'batch_id': row[0] | int, 'rows': row[2] | int, 'checksum': row[3], 'files': row[4],
        'seen_checksum': none,
        'is_other': false, 'snapshot_date': row[1] | string, 'batch_at': row[5] | string,
        'is_void': deltawave._is_void(job, record, row[6]),
      }}) -%}
    {%- endfor -%}
    {%- do deltawave._add_deliveries(job, record, known) -%}
  {%- endif -%}
  {{ return(known) }}
{%- endmacro -%}

{#
  Adds what later deliveries recorded of these dates, and the dates that came too late. After a rewind a date may no
  longer be late.
#}
{%- macro _add_deliveries(job, record, known) -%}
  {%- set sql -%}
select
    snapshot_date,
    batch_id,
    dump_rows,
    dump_checksum,
    dump_files,
    is_other,
    {{ deltawave._utc_text('seen_at') }} as known_at
from {{ deltawave._deliveries(job) }}
where batch_id >= {{ record.generation }}
order by batch_id, seen_at
  {%- endset -%}
  {%- for row in (deltawave._run(job, sql).rows if deltawave._is_there(job, deltawave._deliveries(job)) else []) -%}
    {%- set date = known.get(row[0]) -%}
    {%- set seen = {
      'seen_checksum': row[3], 'files': row[4], 'is_other': row[5], 'is_void': deltawave._is_void(job, record, row[6]),
    } -%}
    {%- if date and date.is_compared -%}
      {%- set rows = row[2] | int if date.is_void else date.rows -%}
      {%- do date.update(dict(seen, rows=rows) if date.batch_id <= row[1] | int else {}) -%}
    {%- elif deltawave._order_of_value(job, row[0]) <= deltawave._order_of_value(job, record.snapshot_date) -%}
      {%- do known.update({row[0]: dict(seen, is_compared=false, batch_id=none, rows=row[2] | int, checksum=none)}) -%}
    {%- endif -%}
  {%- endfor -%}
{%- endmacro -%}

{# Were keys erased since an instant? Then a dump may have fewer rows: erased: skip, or the user, leaves them out. #}
{%- macro _is_void(job, record, known_at) -%}
  {{ return((record.get('erased_at') or '') > known_at) }}
{%- endmacro -%}

{#
  Deliveries of dates that were compared before, or came too late: x__deliveries. With it, a run need not read the rows
  of these dates again.
#}
{%- macro _deliveries(job) -%}{{ return(deltawave._helper_relation(job, 'deliveries')) }}{%- endmacro -%}

{%- macro _keep_deliveries(job, record, seen) -%}
  {%- set columns = {
    'snapshot_date': 'string', 'batch_id': 'bigint', 'dump_rows': 'bigint', 'dump_checksum': 'string',
    'dump_files': 'string',
    'is_other': 'boolean', 'seen_at': 'timestamp',
  } -%}
  {%- set sql -%}
create table if not exists {{ deltawave._deliveries(job) }} (
    {%- for name, data_type in columns.items() %}
    {{ name }} {{ data_type }}{{ ',' if not loop.last }}
    {%- endfor %}
)
using {{ job.settings.file_format }}
  {%- endset -%}
  {%- do deltawave._run(job, sql) -%}
  {%- set sql -%}
insert into {{ deltawave._deliveries(job) }} ({{ columns.keys() | join(', ') }})
select /*+ coalesce(1) */
    *,
    current_timestamp() as seen_at
from values
    {%- for found in seen %}
    (
        {{ deltawave._literal(found.snapshot_date) }}, {{ record.batch_id }}L, {{ found.rows }}L, {{ deltawave._literal(found.checksum) }},
        cast({{ deltawave._literal(found.files) }} as string), {{ found.is_other | lower }}
    ){{ ',' if not loop.last }}
    {%- endfor %} as seen({{ (columns.keys() | list)[:-1] | join(', ') }})
  {%- endset -%}
  {%- do deltawave._run(job, sql) -%}
{%- endmacro -%}

{#
  The dates that are not after the last compared one: {late, again, seen}. late: those that came too late; again:
  compared ones that were delivered again with other rows; seen: what was read of both and has to be remembered.
  settled: dates that were not read, as their files are known; read: the others.
#}
{%- macro _skipped_dates(known, settled, read) -%}
  {%- set late = [] -%}
  {%- set again = [] -%}
  {%- set seen = [] -%}
  {%- for date in settled -%}
    {%- if not known[date].is_compared -%}
      {%- do late.append(date) -%}
    {%- elif known[date].is_other -%}
      {%- do again.append(date) -%}
    {%- endif -%}
  {%- endfor -%}
  {%- for found in read -%}
    {%- set before = known.get(found.snapshot_date, {'is_compared': false}) -%}
    {%- set is_other = before.is_compared and not before.is_void and deltawave._is_delivered_again(before, found) -%}
    {%- if not before.is_compared -%}
      {%- do late.append(found.snapshot_date) -%}
    {%- elif is_other -%}
      {%- do again.append(found.snapshot_date) -%}
    {%- endif -%}
    {%- set is_new = found.checksum[:8] not in [(before.checksum or '')[:8], (before.seen_checksum or '')[:8]] -%}
    {%- if found.files or (before.is_compared and (is_new or before.is_void)) -%}
      {%- do seen.append(dict(found, is_other=is_other)) -%}
    {%- endif -%}
  {%- endfor -%}
  {{ return({'late': late, 'again': again, 'seen': seen}) }}
{%- endmacro -%}

{#
  Are these other rows than those that were compared? If the checksums can't be compared, because the select was edited
  since, the number of rows decides, and changed files count as other rows: a correction must not be lost in silence.
#}
{%- macro _is_delivered_again(before, found) -%}
  {%- if found.rows != before.rows -%}
    {{ return(true) }}
  {%- elif before.checksum and before.checksum[:8] == found.checksum[:8] -%}
    {{ return(before.checksum != found.checksum) }}
  {%- elif before.seen_checksum and before.seen_checksum[:8] == found.checksum[:8] -%}
    {{ return(before.is_other or before.seen_checksum != found.checksum) }}
  {%- endif -%}
  {{ return(before.is_other or (before.files is not none and found.files is not none)) }}
{%- endmacro -%}
