{#
  The ranges after a batch. A fetched range gets the row count and checksum of the slice, and is cut again if it has
  grown to more than twice range_rows; the others stay. So ranges follow the data without another read of the source.

  read: the ranges that this run read at the source. If they are a part of a rotation, the changes of each range's last
  reading are recorded, so that the guard counts a whole rotation (see _guard). A run that was accepted, or that read
  all ranges, resets these counts. Ranges not read by an accepted run are accepted at their next reading.
#}
{%- macro _renew_ranges(job, batch, ranges, read, fetched) -%}
  {%- set source = batch.result.ranges -%}
  {%- set lows = deltawave._attempt_relation(job, source) -%}
  {%- set range_rows = deltawave._range_rows(job, batch.result.rows_new if batch.is_first else batch.rows_old) -%}
  {%- set landed = [deltawave._key_struct(job) ~ ' as low', 'row_checksum'] -%}
  {%- set is_accepted = deltawave._is_accepted(job) -%}
  {%- set is_counted = read | length < ranges | length and not is_accepted -%}
  {%- set was_read = 'ranges.range_id between ' ~ (read | first).range_id ~ ' and ' ~ (read | last).range_id -%}
  {%- set was_fetched = 'ranges.range_id in (' ~ fetched | map(attribute='range_id') | join(', ') ~ ')' -%}
  {%- set table = deltawave._own_table(batch, 'ranges_after' if deltawave._is_own(batch, source) else 'ranges') -%}
  {%- set target = dict(table, counts_updates=true) -%}
  {%- set staged = deltawave._staged_rows(job, batch, batch.result.log_table) -%}
  {%- set sql -%}
create table {{ deltawave._attempt_relation(job, target) }}
using {{ deltawave._state_format() }}
as
with placed as (
    {{ deltawave._indented(deltawave._placed(job, batch.landed, landed, lows, ranges | length)) }}
),

counted as (
    select
        low,
        row_checksum,
        range_id,
        count(*) over (partition by range_id) as row_count,
        row_number() over (partition by range_id order by low) - 1 as place
    from placed
),

pieces as (
    select
        range_id,
        if(row_count > {{ 2 * range_rows }}, place div {{ range_rows }}, 0) as piece,
        min(low) as low,
        count(*) as row_count,
        {{ deltawave._sum_of_checksums('row_checksum') }} as checksum
    from counted
    group by range_id, piece
),

{% if is_counted -%}
changes as (
    select
        range_id,
        count_if(change_type = 'insert') as inserts,
        count_if(change_type = 'delete') as deletes,
        count_if(change_type = 'update') as updates
    from (
        {{ deltawave._indented(deltawave._indented(deltawave._placed(
          job, staged, ['change_type'], lows, ranges | length
        ))) }}
    )
    group by range_id
),

{% endif -%}
renewed as (
    select
        if(coalesce(pieces.piece, 0) = 0, ranges.low, pieces.low) as low,
        ranges.range_id,
        coalesce(pieces.piece, 0) as piece,
        if({{ was_fetched }}, coalesce(pieces.row_count, 0), ranges.row_count) as row_count,
        if({{ was_fetched }}, coalesce(pieces.checksum, '{{ deltawave._empty_sum() }}'), ranges.checksum) as checksum,
        {%- for kind in ['inserts', 'deletes', 'updates'] %}
        {%- if is_counted %}
        case
            when coalesce(pieces.piece, 0) > 0 or {{ was_read }} and ranges.is_accepted then 0
            when {{ was_read }} then coalesce(changes.{{ kind }}, 0)
            else {{ 'ranges.turn_' ~ kind if kind != 'updates' or source.get('counts_updates') else 0 }}
        end as turn_{{ kind }},
        {%- else %}
        cast(0 as bigint) as turn_{{ kind }},
        {%- endif %}
        {%- endfor %}
        {{ 'true' if is_accepted else 'ranges.is_accepted' }} and not ({{ was_read }}) as is_accepted
    from {{ lows }} as ranges
    left join pieces
        on ranges.range_id = pieces.range_id
    {%- if is_counted %}
    left join changes
        on ranges.range_id = changes.range_id
    {%- endif %}
)

select
    cast(row_number() over (order by range_id, piece) - 1 as int) as range_id,
    low,
    row_count,
    checksum,
    turn_inserts,
    turn_deletes,
    turn_updates,
    is_accepted
from renewed
  {%- endset -%}
  {%- do deltawave._run(job, sql) -%}
  {%- set fingerprint = deltawave._ranges_fingerprint(job, target) -%}
  {%- if fingerprint != source.fingerprint -%}
    {%- do deltawave._update(batch.result, ranges=dict(target, fingerprint=fingerprint)) -%}
  {%- endif -%}
{%- endmacro -%}

{# The changes in the last readings of all ranges, in one rotation: {insert, delete, update}. #}
{%- macro _changes_of_rotation(job, batch) -%}
  {%- set sql -%}
select
    coalesce(sum(turn_inserts), 0) as inserts,
    coalesce(sum(turn_deletes), 0) as deletes,
    coalesce(sum(turn_updates), 0) as updates
from {{ deltawave._attempt_relation(job, batch.result.ranges) }}
  {%- endset -%}
  {%- set row = deltawave._run(job, sql).rows[0] -%}
  {{ return({'insert': row[0] | int, 'delete': row[1] | int, 'update': row[2] | int}) }}
{%- endmacro -%}

{# The sums of the rows' checksums, as text. #}
{%- macro _sum_of_checksums(column) -%}
  {%- set hashes = [] -%}
  {%- for part in range(2) -%}
    {%- do hashes.append('cast(get(split(' ~ column ~ ", ':'), " ~ part ~ ') as bigint)') -%}
  {%- endfor -%}
  {{ return(deltawave._exact_sums(hashes)) }}
{%- endmacro -%}

{# Sums as text, that do not overflow: in halves, since Spark adds bigints faster than decimals; up to 2^31 rows. #}
{%- macro _exact_sums(hashes) -%}
  {%- set sums = [] -%}
  {%- for hash in hashes -%}
    {%- set high = 'cast(sum(shiftright(' ~ hash ~ ', 32)) as decimal(38, 0))' -%}
    {%- do sums.append('cast(' ~ high ~ ' * 4294967296 + sum(' ~ hash ~ ' & 4294967295) as string)') -%}
  {%- endfor -%}
  {{ return("concat_ws(':', " ~ sums | join(', ') ~ ')') }}
{%- endmacro -%}

{%- macro _empty_sum() -%}{{ return('0:0') }}{%- endmacro -%}
