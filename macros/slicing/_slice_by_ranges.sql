{#
  ID (CH98 3.4, 3.5): some key ranges a run, in rotation, each by a short read of its own, so that neither the source is locked for long
  nor a run does more than its share. The kept rows of the same ranges are what they are compared with.
#}
{%- macro _slice_by_ranges(job, batch, last) -%}
  {%- if batch.is_first -%}
    {%- do deltawave._create_slice(job, batch, deltawave._rows_of_ranges(job, batch, [], [])) -%}
    {%- do batch.update(progress={'next_low': none}) -%}
    {{ return(none) }}
  {%- endif -%}
  {%- set ranges = deltawave._read_ranges(job, batch) -%}
  {%- set chosen = deltawave._ranges_of_run(job, ranges, deltawave._last_progress(job, last)) -%}
  {%- set names = deltawave._dump_names(batch) -%}
  {%- for range in chosen -%}
    {%- if not loop.first -%}{%- do deltawave._pause(job) -%}{%- endif -%}
    {%- set select = deltawave._rows_of_ranges(job, batch, ranges, [range]) -%}
    {%- if loop.first -%}
      {%- do deltawave._create_slice(job, batch, select) -%}
    {%- else -%}
      {%- do deltawave._run(job, 'insert into ' ~ batch.landed ~ '\n' ~ deltawave._hashed_slice(job, select)) -%}
    {%- endif -%}
  {%- endfor -%}
  {%- do deltawave._compare_ranges(job, batch, last, ranges, chosen) -%}
  {%- do batch.update(progress={'next_low': (chosen | last).high}) -%}
{%- endmacro -%}

{# The ranges of this run, from where the last one stopped; after the last range comes the first, in a run of its own. #}
{%- macro _ranges_of_run(job, ranges, progress) -%}
  {%- set start = namespace(at=0) -%}
  {%- for range in ranges if range.low is not none and range.low == progress.next_low -%}
    {%- set start.at = range.range_id -%}
  {%- endfor -%}
  {%- set count = job.settings.ranges_per_run or ranges | length -%}
  {{ return(ranges[start.at:start.at + count]) }}
{%- endmacro -%}

{# The source's rows in some of the ranges, as a select of the log's columns, with the row's checksum where the ranges have one. #}
{%- macro _rows_of_ranges(job, batch, ranges, chosen) -%}
  {%- set intervals = deltawave._intervals(chosen) if ranges else [{'low': none, 'high': none}] -%}
  {%- set is_summed = job.settings.strategy == 'range_checksum' -%}
  {%- if is_summed and job.remote -%}
    {{ return(deltawave._remote_rows(job, deltawave._keys_first(job, batch), intervals, job.settings.checksum_bits)) }}
  {%- endif -%}
select
    {{ deltawave._dump_names(batch) | join(',\n    ') }},
    {{ deltawave._summand(batch, job.settings.checksum_bits) if is_summed else 'cast(null as string)' }} as row_checksum
from (
    {{ deltawave._indented(deltawave._rows_in_intervals(job, batch, intervals)) }}
)
where {{ deltawave._ranges_condition(job, ranges, chosen) }}
{%- endmacro -%}

{# What a landed slice of whole ranges is compared with, and the ranges as they are now. #}
{%- macro _compare_ranges(job, batch, last, ranges, chosen) -%}
  {%- do batch.update(old=deltawave._kept_slice(job, batch, last, deltawave._ranges_condition(job, ranges, chosen))) -%}
  {%- if chosen -%}
    {%- do deltawave._renew_ranges(job, batch, ranges, chosen) -%}
  {%- endif -%}
{%- endmacro -%}

{# Leaves the source alone between two reads. #}
{%- macro _pause(job) -%}
  {%- if job.settings.range_pause -%}
    {%- do deltawave._run(job, "select java_method('java.lang.Thread', 'sleep', bigint(" ~ (job.settings.range_pause * 1000) | int ~ '))') -%}
  {%- endif -%}
{%- endmacro -%}

{#
  The ranges after a slice: of those that were read, rows and checksum are as in the slice, and one that has grown to more than twice
  range_rows is cut again; the others stay. So ranges follow the data without another look at the source.
#}
{%- macro _renew_ranges(job, batch, ranges, chosen) -%}
  {%- set source = batch.ranges -%}
  {%- set lows = deltawave._attempt_relation(job, source) -%}
  {%- set range_rows = deltawave._range_rows(job, batch.rows_new if batch.is_first else batch.rows_old) -%}
  {%- set keys = deltawave._quoted_list(job.settings.unique_key) -%}
  {%- set ids = chosen | map(attribute='range_id') | join(', ') -%}
  {%- set is_mine = source.attempt == batch.attempt and source.batch_id == batch.batch_id -%}
  {%- set target = {'kind': 'cuts' if is_mine else 'ranges', 'batch_id': batch.batch_id, 'attempt': batch.attempt} -%}
  {%- set sql -%}
create table {{ deltawave._attempt_relation(job, target) }}
using {{ job.settings.copy_format }}
as
with placed as (
    {{ deltawave._indented(deltawave._placed(job, batch.landed, keys + ['row_checksum'], lows, ranges | length)) }}
),

counted as (
    select
        {{ keys | join(',\n        ') }},
        row_checksum,
        range_id,
        count(*) over (partition by range_id) as row_count,
        row_number() over (partition by range_id order by {{ keys | join(', ') }}) - 1 as place
    from placed
),

pieces as (
    select
        range_id,
        if(row_count > {{ 2 * range_rows }}, place div {{ range_rows }}, 0) as piece,
        min(struct({{ keys | join(', ') }})) as low,
        count(*) as row_count,
        {{ deltawave._sum_of_checksums('row_checksum', job.settings.checksum_bits) }} as checksum
    from counted
    group by range_id, piece
),

renewed as (
    select
        {%- for key in keys %}
        if(coalesce(pieces.piece, 0) = 0, ranges.{{ key }}, pieces.low.{{ key }}) as {{ key }},
        {%- endfor %}
        ranges.range_id,
        coalesce(pieces.piece, 0) as piece,
        if(ranges.range_id in ({{ ids }}), coalesce(pieces.row_count, 0), ranges.row_count) as row_count,
        if(ranges.range_id in ({{ ids }}), coalesce(pieces.checksum, {{ deltawave._no_checksum(job.settings.checksum_bits) }}), ranges.checksum) as checksum
    from {{ lows }} as ranges
    left join pieces
        on ranges.range_id = pieces.range_id
)

select
    cast(row_number() over (order by range_id, piece) - 1 as int) as range_id,
    {%- for key in keys %}
    {{ key }},
    {%- endfor %}
    row_count,
    checksum
from renewed
  {%- endset -%}
  {%- do deltawave._run(job, sql) -%}
  {%- set fingerprint = deltawave._ranges_fingerprint(job, target) -%}
  {%- if fingerprint != source.fingerprint -%}
    {%- do batch.update(ranges=dict(target, fingerprint=fingerprint)) -%}
  {%- endif -%}
{%- endmacro -%}
