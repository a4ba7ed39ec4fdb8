{#
  The auxiliary table of CH98 3.4, x__ranges_<batch>_<attempt>: key ranges that hold about as many rows each, however unevenly keys are
  spread. A row a range: range_id from 0 in key order, its low key, a struct of key_1, key_2, ... (included; nulls in range 0, which is open), where the
  strategy knows them the rows and the checksum of the range, and what its last reading told the guard (see _renew_ranges). The high key is
  the next one's low; the last range is open.
#}

{# Refuses a key that can't be cut where ranges are what is compared; the other strategies find rows in one range as well. #}
{%- macro _check_range_key(job) -%}
  {%- if deltawave._has_own_ranges(job) -%}
    {%- for column in deltawave._key_columns(job) if not deltawave._has_bounds([column]) -%}
      {%- do deltawave._fail('range_key_type', {
        'model': job.name, 'column': column.name, 'type': column.data_type, 'strategy': job.settings.strategy,
      }) -%}
    {%- endfor -%}
  {%- endif -%}
{%- endmacro -%}

{#
  The rows that a range aims at: few where only moved ranges are fetched, or looked up, so that little comes with a change, yet no more
  than some thousand ranges; many where each range is a read of its own.
#}
{%- macro _range_rows(job, rows) -%}
  {%- if job.settings.range_rows -%}
    {{ return(job.settings.range_rows) }}
  {%- endif -%}
  {{ return(250000 if job.settings.strategy == 'ranges' else [1000, rows // 4000] | max) }}
{%- endmacro -%}

{#
  Cuts a table's keys into ranges of about range_rows rows: of a sample, drawn by the hash of the key, every so manieth key begins a
  range. Counts and checksums stay unknown (null), so that range_checksum reads every range once.
#}
{%- macro _cut_ranges(job, batch, rows) -%}
  {%- set columns = deltawave._key_columns(job) -%}
  {%- set table = deltawave._attempt_relation(job, batch.kept_side) -%}
  {%- set target = deltawave._range_rows(job, rows) -%}
  {%- set share = [target // 100, 1] | max -%}
  {%- set step = target // share -%}
  {%- set can_cut = deltawave._has_bounds(columns) and rows > target -%}
  {%- set sql -%}
{{ deltawave._create_ranges(job, batch) }}
with sampled as (
    select {{ deltawave._key_struct(job) }} as low
    from {{ table }}
    where {{ 'pmod(key_hash, ' ~ share ~ ') = 0' if can_cut else 'false' }}
),

numbered as (
    select
        low,
        row_number() over (order by low) as place
    from sampled
),

lows as (
    {{ deltawave._indented(deltawave._open_low(columns)) }}
    union all
    select
        low,
        cast(place div {{ step }} as int) as range_id
    from numbered
    where place % {{ step }} = 0
)

select
    range_id,
    low,
    cast(null as bigint) as row_count,
    cast(null as string) as checksum,
    cast(0 as bigint) as turn_inserts,
    cast(0 as bigint) as turn_deletes,
    false as is_accepted
from lows
  {%- endset -%}
  {%- do deltawave._run(job, sql) -%}
  {%- do deltawave._take_ranges(job, batch) -%}
{%- endmacro -%}

{%- macro _create_ranges(job, batch) -%}
  {%- set ranges = {'kind': 'ranges', 'batch_id': batch.batch_id, 'attempt': batch.attempt} -%}
create table {{ deltawave._attempt_relation(job, ranges) }}
using {{ job.settings.copy_format }}
as
{%- endmacro -%}

{# The first range begins before every key. #}
{%- macro _open_low(columns) -%}
select
    named_struct(
        {%- for column in columns %}
        'key_{{ loop.index }}', cast(null as {{ column.data_type }}){{ ',' if not loop.last }}
        {%- endfor %}
    ) as low,
    0 as range_id
{%- endmacro -%}

{# A row's key, as one value in the order of the ranges: whatever its columns are called, they meet no other names there. #}
{%- macro _key_struct(job) -%}
  {%- set parts = [] -%}
  {%- for key in deltawave._quoted_list(job.settings.unique_key) -%}{%- do parts.append("'key_" ~ loop.index ~ "', " ~ key) -%}{%- endfor -%}
  {{ return('named_struct(' ~ parts | join(', ') ~ ')') }}
{%- endmacro -%}

{# Makes the table that this attempt wrote the batch's ranges; its fingerprint tells later whether somebody changed it. #}
{%- macro _take_ranges(job, batch) -%}
  {%- set ranges = {'kind': 'ranges', 'batch_id': batch.batch_id, 'attempt': batch.attempt} -%}
  {%- do batch.update(ranges=dict(ranges, fingerprint=deltawave._ranges_fingerprint(job, ranges))) -%}
{%- endmacro -%}

{%- macro _ranges_fingerprint(job, ranges) -%}
  {%- set known = ["coalesce(cast(row_count as string), '-')", "coalesce(checksum, '-')", 'turn_inserts', 'turn_deletes', 'is_accepted'] -%}
  {%- set parts = ['range_id'] + deltawave._bound_texts(job) + known -%}
  {%- set sql -%}
select concat_ws(':', count(*), sum(cast(xxhash64({{ parts | join(', ') }}) as decimal(38, 0)))) as fingerprint
from {{ deltawave._attempt_relation(job, ranges) }}
  {%- endset -%}
  {{ return(deltawave._run(job, sql).rows[0][0]) }}
{%- endmacro -%}

{# The ranges of a batch: [{range_id, low, high, row_count, checksum, is_accepted}]; refuses a table that is not as it was written. #}
{%- macro _read_ranges(job, batch) -%}
  {%- set table = deltawave._attempt_relation(job, batch.ranges) -%}
  {%- set texts = deltawave._bound_texts(job) -%}
  {%- set sql -%}
select
    range_id,
    row_count,
    checksum,
    is_accepted,
    {{ texts | join(',\n    ') }}
from {{ table }}
order by range_id
  {%- endset -%}
  {%- if deltawave._ranges_fingerprint(job, batch.ranges) != batch.ranges.fingerprint -%}
    {%- do deltawave._refuse(job, batch, 'ranges_changed', {'ranges': table | string}) -%}
  {%- endif -%}
  {%- set found = [] -%}
  {%- for row in deltawave._run(job, sql).rows -%}
    {%- set low = none if loop.first else row.values()[4:] | list -%}
    {%- if found -%}{%- do found[-1].update(high=low) -%}{%- endif -%}
    {%- do found.append({
      'range_id': row[0] | int, 'low': low, 'high': none,
      'row_count': none if row[1] is none else row[1] | int, 'checksum': row[2], 'is_accepted': row[3] | string | lower == 'true',
    }) -%}
  {%- endfor -%}
  {{ return(found) }}
{%- endmacro -%}

{%- macro _bound_texts(job) -%}
  {%- set texts = [] -%}
  {%- for column in deltawave._key_columns(job) -%}
    {%- do texts.append(deltawave._bound_text('low.key_' ~ loop.index, column.data_type)) -%}
  {%- endfor -%}
  {{ return(texts) }}
{%- endmacro -%}

{#
  Some of the ranges and, where they lie in more than `limit` places, those between the nearest ones as well: a condition on hundreds of
  intervals costs more in each row than it spares.
#}
{%- macro _in_few_places(ranges, chosen, limit=200) -%}
  {%- set ids = chosen | map(attribute='range_id') | list -%}
  {%- set gaps = [] -%}
  {%- for id in ids[1:] -%}
    {%- set gap = id - 1 - ids[loop.index0] -%}
    {%- if gap -%}{%- do gaps.append(gap) -%}{%- endif -%}
  {%- endfor -%}
  {%- if gaps | length < limit -%}
    {{ return(chosen) }}
  {%- endif -%}
  {%- set widest_kept = (gaps | sort)[gaps | length - limit] -%}
  {%- set taken = [] -%}
  {%- set seen = namespace(last=none) -%}
  {%- for id in ids -%}
    {%- if seen.last is not none and id - 1 - seen.last <= widest_kept -%}
      {%- do taken.extend(ranges[seen.last + 1:id]) -%}
    {%- endif -%}
    {%- do taken.append(ranges[id]) -%}
    {%- set seen.last = id -%}
  {%- endfor -%}
  {{ return(taken) }}
{%- endmacro -%}

{# Some of the ranges, as intervals: neighbours are joined into one. #}
{%- macro _intervals(ranges) -%}
  {%- set intervals = [] -%}
  {%- set seen = namespace(last=none) -%}
  {%- for range in ranges -%}
    {%- if seen.last is not none and range.range_id == seen.last + 1 -%}
      {%- do intervals[-1].update(high=range.high) -%}
    {%- else -%}
      {%- do intervals.append({'low': range.low, 'high': range.high}) -%}
    {%- endif -%}
    {%- set seen.last = range.range_id -%}
  {%- endfor -%}
  {{ return(intervals) }}
{%- endmacro -%}

{# The key's columns in the order of unique_key: [{name, data_type}]. #}
{%- macro _key_columns(job) -%}
  {%- set columns = [] -%}
  {%- for key in job.settings.unique_key -%}
    {%- for column in job.columns if column.name | lower == key | lower -%}{%- do columns.append(column) -%}{%- endfor -%}
  {%- endfor -%}
  {{ return(columns) }}
{%- endmacro -%}

{#
  The select of a relation's columns with range_id, found by binary search: each step is a column made of the one before, which Spark
  compiles. count: how many ranges there are.
#}
{%- macro _placed(job, source, columns, lows, count) -%}
  {%- set key = deltawave._key_struct(job) -%}
  {%- set bounds = '(select sort_array(collect_list(low)) from ' ~ lows ~ ' where range_id > 0)' -%}
  {%- set steps = deltawave._search_steps(count) -%}
select
    {%- for column in columns %}
    {{ column }},
    {%- endfor %}
    {%- for size in steps %}
    {%- set place = '`_step_' ~ (loop.index0) ~ '`' if not loop.first else '0' %}
    if({{ key }} >= get({{ bounds }}, {{ place }} + {{ size - 1 }}), {{ place }} + {{ size }}, {{ place }}) as `_step_{{ loop.index }}`,
    {%- endfor %}
    {{ '`_step_' ~ steps | length ~ '`' if steps else '0' }} as range_id
from {{ source }}
{%- endmacro -%}

{# The strides of a binary search among that many ranges: 4, 2, 1 for up to 8. #}
{%- macro _search_steps(count) -%}
  {%- set steps = [] -%}
  {%- for exponent in range(31) if 2 ** exponent < count -%}
    {%- do steps.insert(0, 2 ** exponent) -%}
  {%- endfor -%}
  {{ return(steps) }}
{%- endmacro -%}
