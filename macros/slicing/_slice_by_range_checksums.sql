{#
  ID/RCS (CH98 3.6): the source sums up one checksum a range; only ranges whose checksum or count moved are fetched and compared. What is
  kept of a fetched range is the sum over the rows that came, not what the source said before: it may have changed in between.
#}
{%- macro _slice_by_range_checksums(job, batch, last) -%}
  {%- if batch.is_first -%}
    {%- do deltawave._create_slice(job, batch, deltawave._rows_of_ranges(job, batch, [], [])) -%}
    {{ return(none) }}
  {%- endif -%}
  {%- set ranges = deltawave._read_ranges(job, batch) -%}
  {%- set sums = {} -%}
  {%- for row in deltawave._run(job, deltawave._range_checksums(job, batch, ranges)).rows -%}
    {%- do sums.update({row[0] | int: {'row_count': row[1] | int, 'checksum': row[2]}}) -%}
  {%- endfor -%}
  {%- set moved = [] -%}
  {%- set seen = namespace(rows=0) -%}
  {%- for range in ranges -%}
    {%- set now = sums.get(range.range_id, {'row_count': 0, 'checksum': deltawave._empty_sum(job.settings.checksum_bits)}) -%}
    {%- set seen.rows = seen.rows + now.row_count -%}
    {%- set is_known = last.summed == batch.summed and range.row_count == now.row_count and range.checksum == now.checksum -%}
    {%- if not is_known -%}{%- do moved.append(range) -%}{%- endif -%}
  {%- endfor -%}
  {%- if seen.rows == 0 and not job.settings.allow_empty and not deltawave._is_accepted(job) -%}
    {%- do deltawave._refuse(job, batch, 'empty_dump', {'rows_old': batch.rows_old}) -%}
  {%- endif -%}
  {%- set is_idle = not moved and batch.kept_side == last.kept -%}
  {%- if not is_idle -%}
    {%- set moved = deltawave._in_few_places(ranges, moved) -%}
    {%- do deltawave._create_slice(job, batch, deltawave._rows_of_ranges(job, batch, ranges, moved)) -%}
    {%- do deltawave._compare_ranges(job, batch, last, ranges, moved) -%}
  {%- endif -%}
  {%- do batch.update(is_idle=is_idle, checksums=ranges | length) -%}
{%- endmacro -%}

{# One row a range that has rows: range_id, row_count, checksum; computed where the source is. #}
{%- macro _range_checksums(job, batch, ranges) -%}
  {%- if job.remote -%}
    {{ return(deltawave._remote_checksums(job, deltawave._keys_first(job, batch), ranges, job.settings.checksum_bits)) }}
  {%- endif -%}
  {%- set keys = deltawave._quoted_list(job.settings.unique_key) -%}
  {%- set summand = deltawave._summand(batch, job.settings.checksum_bits) ~ ' as row_checksum' -%}
  {%- set lows = deltawave._attempt_relation(job, batch.ranges) -%}
select
    range_id,
    count(*) as row_count,
    {{ deltawave._sum_of_checksums('row_checksum', job.settings.checksum_bits) }} as checksum
from (
    {{ deltawave._indented(deltawave._placed(job, '(\n' ~ job.sql ~ '\n)', [summand], lows, ranges | length)) }}
)
group by range_id
{%- endmacro -%}

{# The log's columns, the key's in the order of unique_key, as bounds are. #}
{%- macro _keys_first(job, batch) -%}
  {%- set columns = [] -%}
  {%- for key in job.settings.unique_key -%}
    {%- for column in batch.columns if column.name | lower == key | lower -%}{%- do columns.append(column) -%}{%- endfor -%}
  {%- endfor -%}
  {{ return(columns + batch.columns | rejectattr('is_key') | list) }}
{%- endmacro -%}

{#
  A row's checksum as it is summed up: one whole number, or two of independent functions, of the key and the compared columns. A sum does
  not depend on the order of rows, and a pair of equal rows does not cancel in it as in an exclusive or.
#}
{%- macro _summand(batch, bits) -%}
  {%- set columns = batch.columns | selectattr('is_key') | list + batch.columns | selectattr('is_chosen') | list -%}
  {%- set low = 'cast(' ~ deltawave._row_hash(columns, lane=0) ~ ' as string)' -%}
  {{ return(low if bits == 64 else 'concat(' ~ low ~ ", ':', cast(" ~ deltawave._row_hash(columns, lane=1) ~ ' as string))') }}
{%- endmacro -%}

{# The sum of such checksums, as text: exact, since 2^63 rows of 2^63 fit into 38 digits. #}
{%- macro _sum_of_checksums(column, bits) -%}
  {%- set sums = [] -%}
  {%- for part in range(1 if bits == 64 else 2) -%}
    {%- do sums.append('cast(sum(cast(get(split(' ~ column ~ ", ':'), " ~ part ~ ') as decimal(38, 0))) as string)') -%}
  {%- endfor -%}
  {{ return("concat_ws(':', " ~ sums | join(', ') ~ ')') }}
{%- endmacro -%}

{%- macro _empty_sum(bits) -%}{{ return('0' if bits == 64 else '0:0') }}{%- endmacro -%}

{%- macro _no_checksum(bits) -%}{{ return(deltawave._literal(deltawave._empty_sum(bits))) }}{%- endmacro -%}
