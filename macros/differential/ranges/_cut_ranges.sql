{#
  The auxiliary table of CH98 3.4, x__ranges_<batch>_<attempt>: key ranges with about the same number of rows each,
  however unevenly keys are distributed. One row per range: range_id, from 0 in key order; its low key, a struct of
  key_1, key_2, ... (included; null in range 0, which is open); the row count and checksum of the range, if the
  strategy knows them; and the figures of its last reading for the guard (see _renew_ranges). The high key is the low
  key of the next range; the last range is open.
#}

{#
  Cuts the keys of a state into ranges of about range_rows rows, and returns their table: in a sample, drawn by the
  key's hash, every n-th key starts a range. Counts and checksums are unknown (null), so that range_checksum reads
  every range once.
#}
{%- macro _cut_ranges(job, batch, state, rows) -%}
  {%- set ranges = dict(deltawave._own_table(batch, 'ranges'), counts_updates=true) -%}
  {%- set columns = deltawave._key_columns(job) -%}
  {%- set table = deltawave._attempt_relation(job, state) -%}
  {%- set target = deltawave._range_rows(job, rows) -%}
  {%- set share = [target // 100, 1] | max -%}
  {%- set step = target // share -%}
  {%- set can_cut = deltawave._has_bounds(columns) and rows > target -%}
  {%- set sql -%}
create table {{ deltawave._attempt_relation(job, ranges) }}
using {{ deltawave._state_format() }}
as
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
    cast(0 as bigint) as turn_updates,
    false as is_accepted
from lows
  {%- endset -%}
  {%- do deltawave._run(job, sql) -%}
  {#- The fingerprint later shows whether somebody changed the table. -#}
  {{ return(dict(ranges, fingerprint=deltawave._ranges_fingerprint(job, ranges))) }}
{%- endmacro -%}

{# The first range starts before every key. #}
{%- macro _open_low(columns) -%}
select
    named_struct(
        {%- for column in columns %}
        'key_{{ loop.index }}', cast(null as {{ column.data_type }}){{ ',' if not loop.last }}
        {%- endfor %}
    ) as low,
    0 as range_id
{%- endmacro -%}

{# The target number of rows per range. #}
{%- macro _range_rows(job, rows) -%}
  {{ return(job.settings.range_rows or deltawave._default_range_rows(job.strategy, rows)) }}
{%- endmacro -%}

{#
  Small ranges if only changed ranges are fetched or rows are looked up (at most about 4,000); large ones if each is a
  separate read.
#}
{%- macro _default_range_rows(strategy, rows) -%}
  {{ return(250000 if strategy.ranges == 'compared' and not strategy.checksums else [1000, rows // 4000] | max) }}
{%- endmacro -%}

{# Into how many ranges a table falls. #}
{%- macro _default_ranges(strategy, rows) -%}
  {{ return([-(-rows // deltawave._default_range_rows(strategy, rows)), 1] | max) }}
{%- endmacro -%}

{# Refuses a key that cannot be cut into ranges, for a strategy that compares them; others also work with one range. #}
{%- macro _check_range_key(job) -%}
  {%- for column in deltawave._key_columns(job) if not deltawave._has_bounds([column]) -%}
    {%- do deltawave._fail('range_key_type', {
      'model': job.name, 'column': column.name, 'type': column.data_type, 'strategy': job.strategy.name,
    }) -%}
  {%- endfor -%}
{%- endmacro -%}
