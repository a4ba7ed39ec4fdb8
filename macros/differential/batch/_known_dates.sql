{#
  What earlier runs recorded of each date: {date: {is_compared, batch_id, rows, checksum, files, seen_checksum, is_other}}, of a compared date also
  snapshot_date and batch_at. Of a log that is rewound, or that a run is about to rewind, only what that leaves.

    rows, checksum  of the dump when it was compared; the batch is the one that compared it
    files           the digest of the date's files when its rows were last read
    seen_checksum   of the rows at that time, if that was after the comparison
    is_other        whether these rows were others than the compared ones

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
    {{ deltawave._utc_text('batch_at') }} as dump_at
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
        'is_compared': true, 'batch_id': row[0] | int, 'rows': row[2] | int, 'checksum': row[3], 'files': row[4], 'seen_checksum': none,
        'is_other': false, 'snapshot_date': row[1] | string, 'batch_at': row[5] | string,
      }}) -%}
    {%- endfor -%}
    {%- do deltawave._add_deliveries(job, record, known) -%}
  {%- endif -%}
  {{ return(known) }}
{%- endmacro -%}

{# Adds what later deliveries recorded of these dates, and the dates that came too late. After a rewind a date may no longer be late. #}
{%- macro _add_deliveries(job, record, known) -%}
  {%- set sql -%}
select
    snapshot_date,
    batch_id,
    dump_rows,
    dump_checksum,
    dump_files,
    is_other
from {{ deltawave._deliveries(job) }}
where batch_id >= {{ record.generation }}
order by batch_id, seen_at
  {%- endset -%}
  {%- for row in (deltawave._run(job, sql).rows if deltawave._is_there(job, deltawave._deliveries(job)) else []) -%}
    {%- set date = known.get(row[0]) -%}
    {%- set seen = {'seen_checksum': row[3], 'files': row[4], 'is_other': row[5]} -%}
    {%- if date and date.is_compared -%}
      {%- do date.update(seen if date.batch_id <= row[1] | int else {}) -%}
    {%- elif deltawave._order_of_value(job, row[0]) <= deltawave._order_of_value(job, record.snapshot_date) -%}
      {%- do known.update({row[0]: dict(seen, is_compared=false, batch_id=none, rows=row[2] | int, checksum=none)}) -%}
    {%- endif -%}
  {%- endfor -%}
{%- endmacro -%}

{# Deliveries of dates that were compared before, or came too late: x__deliveries. With it, a run need not read the rows of these dates again. #}
{%- macro _deliveries(job) -%}{{ return(deltawave._helper_relation(job, 'deliveries')) }}{%- endmacro -%}

{%- macro _keep_deliveries(job, record, seen) -%}
  {%- set columns = {
    'snapshot_date': 'string', 'batch_id': 'bigint', 'dump_rows': 'bigint', 'dump_checksum': 'string', 'dump_files': 'string',
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
