{#
  ID/RCS (CH98 3.6): the source computes one checksum per range; only ranges whose checksum or count moved are fetched
  and compared. With ranges_per_run these are ranges of the run, as in _slice_by_ranges. The recorded checksum of a
  fetched range is the sum over the fetched rows, not the one that the source reported before: rows may have changed in
  between.
#}
{%- macro default___slice_by_range_checksums(job, batch, last) -%}
  {%- if not last -%}
    {{ return(deltawave._slice_of_all_ranges(job, batch)) }}
  {%- endif -%}
  {%- set ranges = deltawave._read_ranges(job, batch, last.ranges) -%}
  {%- set read = deltawave._ranges_of_run(job, batch, ranges) -%}
  {%- set found = deltawave._moved_ranges(job, batch, last, ranges, read) -%}
  {%- do deltawave._check_ranges_rows(job, batch, ranges, read, found.rows) -%}
  {#- Not idle if the state was rewritten or the rotation moved on: both must be recorded by a batch. -#}
  {%- set next_low = (read | last).high -%}
  {%- if not found.moved and next_low == batch.resumed.next_low | default(none)
      and not deltawave._is_own(batch, last.state) -%}
    {{ return(deltawave._reading(incoming=batch.landed, is_idle=true)) }}
  {%- endif -%}
  {%- set fetched = deltawave._in_few_places(ranges, found.moved or read[:1]) -%}
  {%- do deltawave._create_slice(job, batch, deltawave._rows_of_ranges(job, batch, ranges, fetched)) -%}
  {{ return(deltawave._reading_of_ranges(job, batch, last, ranges, read, fetched, checksums=read | length)) }}
{%- endmacro -%}

{#
  The read ranges whose checksum or count is not the recorded one, and the number of rows in all read ranges: {moved,
  rows}.
#}
{%- macro _moved_ranges(job, batch, last, ranges, read) -%}
  {%- set sums = {} -%}
  {%- for row in deltawave._run(job, deltawave._range_checksums(job, batch, last, ranges, read)).rows -%}
    {%- do sums.update({row[0] | int: {'row_count': row[1] | int, 'checksum': row[2]}}) -%}
  {%- endfor -%}
  {%- set moved = [] -%}
  {%- set seen = namespace(rows=0) -%}
  {%- set is_comparable = last.checksum_fingerprint == batch.checksum_fingerprint -%}
  {#- After another strategy the ranges are new, and have no checksums yet. -#}
  {%- if last.progress_strategy == job.strategy.name and not is_comparable -%}
    {%- do log('deltawave: ' ~ job.name ~ ': the kept checksums were computed in another way; the ranges of this run are fetched', info=true) -%}
  {%- endif -%}
  {%- for range in read -%}
    {%- set now = sums.get(range.range_id, {'row_count': 0, 'checksum': deltawave._empty_sum()}) -%}
    {%- set seen.rows = seen.rows + now.row_count -%}
    {%- if not is_comparable or range.row_count != now.row_count or range.checksum != now.checksum -%}
      {%- do moved.append(range) -%}
    {%- endif -%}
  {%- endfor -%}
  {{ return({'moved': moved, 'rows': seen.rows}) }}
{%- endmacro -%}

{# One row for each range read that has rows: range_id, row_count, checksum; computed where the source is. #}
{%- macro _range_checksums(job, batch, last, ranges, read) -%}
  {%- if job.remote -%}
    {{ return(deltawave._remote_checksums(job, deltawave._keys_first(job, batch), read)) }}
  {%- endif -%}
  {%- set lows = deltawave._attempt_relation(job, last.ranges) -%}
  {%- set hashed = [] -%}
  {%- set hashes = [] -%}
  {%- for hash in deltawave._summed_hashes(batch) -%}
    {%- do hashed.append(hash ~ ' as `_hash_' ~ loop.index ~ '`') -%}
    {%- do hashes.append('`_hash_' ~ loop.index ~ '`') -%}
  {%- endfor -%}
  {%- set source -%}
(
    {{ deltawave._indented(job.sql) }}
)
{%- if read | length < ranges | length %}
where {{ deltawave._ranges_condition(job, ranges, read) }}
{%- endif -%}
  {%- endset -%}
select
    range_id,
    count(*) as row_count,
    {{ deltawave._exact_sums(hashes) }} as checksum
from (
    {{ deltawave._indented(deltawave._placed(job, source, hashed, lows, ranges | length)) }}
)
group by range_id
{%- endmacro -%}

{#
  The hashes of a row that are summed: two whole numbers from independent functions, over the key and the compared
  columns. A sum does not depend on the order of rows, and two equal rows do not cancel as they would in an exclusive
  or.
#}
{%- macro _summed_hashes(batch) -%}
  {%- set columns = batch.columns | selectattr('is_key') | list + batch.columns | selectattr('is_chosen') | list -%}
  {{ return([deltawave._row_hash(columns, lane=0), deltawave._row_hash(columns, lane=1)]) }}
{%- endmacro -%}

{# The same as text, for a column of the slice. #}
{%- macro _summed_text(batch) -%}
  {{ return("concat_ws(':', " ~ deltawave._summed_hashes(batch) | join(', ') ~ ')') }}
{%- endmacro -%}
