{#
  ID (CH98 3.4, 3.5): some key ranges per run, in rotation, each by a short read of its own, so that the source is not
  locked for long and no run does more than its share. They are compared with the previous rows of the same ranges.
#}
{%- macro default___slice_by_ranges(job, batch, last) -%}
  {%- if not last -%}
    {{ return(deltawave._slice_of_all_ranges(job, batch)) }}
  {%- endif -%}
  {%- set ranges = deltawave._read_ranges(job, batch, last.ranges) -%}
  {%- set read = deltawave._ranges_of_run(job, batch, ranges) -%}
  {%- for range in read -%}
    {%- set select = deltawave._rows_of_ranges(job, batch, ranges, [range]) -%}
    {%- if loop.first -%}
      {%- do deltawave._create_slice(job, batch, select) -%}
    {%- else -%}
      {%- do deltawave._run(job, 'insert into ' ~ batch.landed ~ '\n' ~ deltawave._hashed_slice(job, select)) -%}
    {%- endif -%}
  {%- endfor -%}
  {%- do deltawave._check_ranges_rows(job, batch, ranges, read, deltawave._row_count(job, batch.landed)) -%}
  {{ return(deltawave._reading_of_ranges(job, batch, last, ranges, read, read)) }}
{%- endmacro -%}

{# The first slice is the whole table; the rotation starts after it. #}
{%- macro _slice_of_all_ranges(job, batch) -%}
  {%- do deltawave._create_slice(job, batch, deltawave._rows_of_ranges(job, batch, [], [])) -%}
  {{ return(deltawave._reading(incoming=batch.landed, progress={'next_low': none})) }}
{%- endmacro -%}

{#
  The ranges of this run, from where the last run stopped. A run ends at the last range; the next one starts at the
  first. Without ranges_per_run:
  all ranges, wherever the last run stopped.
#}
{%- macro _ranges_of_run(job, batch, ranges) -%}
  {%- set count = job.settings.ranges_per_run or ranges | length -%}
  {%- set start = namespace(at=0) -%}
  {%- for range in ranges if range.low is not none and range.low == batch.resumed.next_low
      and count < ranges | length -%}
    {%- set start.at = range.range_id -%}
  {%- endfor -%}
  {{ return(ranges[start.at:start.at + count]) }}
{%- endmacro -%}

{#
  Refuses a source without rows as soon as the ranges of a run have none; otherwise its rows would be deleted a few
  ranges at a time. An accepted run lets each range pass once.
#}
{%- macro _check_ranges_rows(job, batch, ranges, read, rows) -%}
  {%- set is_accepted = deltawave._is_accepted(job) or not read | rejectattr('is_accepted') | list -%}
  {%- if rows == 0 and not job.settings.allow_empty and not is_accepted -%}
    {%- if read | length == ranges | length or not deltawave._run(job, deltawave._any_row(job)).rows -%}
      {%- do deltawave._refuse(job, batch, 'empty_dump', {'rows_old': batch.rows_old}) -%}
    {%- endif -%}
  {%- endif -%}
{%- endmacro -%}

{#
  The source's rows in some of the ranges, as a select of the log's columns, with the row's checksum if ranges have
  checksums.
#}
{%- macro _rows_of_ranges(job, batch, ranges, chosen) -%}
  {%- set intervals = deltawave._intervals(chosen) if ranges else [{'low': none, 'high': none}] -%}
  {%- set is_summed = job.strategy.checksums == 'ranges' -%}
  {%- if is_summed and job.remote -%}
    {{ return(deltawave._remote_rows(job, deltawave._keys_first(job, batch), intervals)) }}
  {%- endif -%}
select
    {{ deltawave._dump_names(batch) | join(',\n    ') }},
    {{ deltawave._summed_text(batch) if is_summed else 'cast(null as string)' }} as row_checksum
from (
    {{ deltawave._indented(deltawave._rows_in_intervals(job, batch, intervals)) }}
)
where {{ deltawave._ranges_condition(job, ranges, chosen) }}
{%- endmacro -%}

{#
  The reading of a slice of whole ranges. It is compared with the previous rows of the fetched ranges. `read` are all
  ranges that this run read at the
  source: its part of the rotation. The next run starts after them.
#}
{%- macro _reading_of_ranges(job, batch, last, ranges, read, fetched, checksums=0) -%}
  {{ return(deltawave._reading(
    incoming=batch.landed,
    old=deltawave._previous_slice(job, batch, last, deltawave._ranges_condition(job, ranges, fetched)),
    progress={'next_low': (read | last).high},
    rotation={'ranges': ranges, 'read': read, 'fetched': fetched},
    checksums=checksums,
  )) }}
{%- endmacro -%}
