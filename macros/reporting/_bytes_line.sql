{#
  A line about what the shown batches have read, and what full comparisons would have read instead, where both are
  known; none for loads alone. A run of this version adds these columns to a table of batches.
#}
{%- macro _bytes_line(reported, counts) -%}
  {%- if not reported.batches or 'bytes_full' not in deltawave._types_of(deltawave._columns_of(reported.batches)) -%}
    {{ return([]) }}
  {%- endif -%}
  {%- set sql -%}
select
    sum(bytes_dump) as bytes_read,
    sum(bytes_full) as bytes_full
from {{ deltawave._standing_batches(reported.batches) }}
where
    batch_id between {{ counts[0].batch_id }} and {{ counts[-1].batch_id }}
    and rows_old > 0
    and bytes_dump is not null
    and bytes_full is not null
  {%- endset -%}
  {%- set row = run_query(sql).rows[0] -%}
  {%- if row[0] is none -%}{{ return([]) }}{%- endif -%}
  {%- set line = '  Bytes read: ' ~ row[0] | int ~ '; by full comparisons: ' ~ row[1] | int -%}
  {{ return(['', deltawave._with_commas(line)]) }}
{%- endmacro -%}
