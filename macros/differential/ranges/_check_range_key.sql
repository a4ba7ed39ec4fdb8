{#
  The auxiliary table of CH98 3.4, x__ranges_<batch>_<attempt>: key ranges with about the same number of rows each, however unevenly keys
  are distributed. One row per range: range_id, from 0 in key order; its low key, a struct of key_1, key_2, ... (included; null in range 0,
  which is open); the row count and checksum of the range, if the strategy knows them; and what its last reading tells the guard (see
  _renew_ranges). The high key is the low key of the next range; the last range is open.
#}

{# Refuses a key that cannot be cut into ranges if the strategy compares ranges; other strategies also work with a single range. #}
{%- macro _check_range_key(job) -%}
  {%- if job.strategy.ranges == 'compared' -%}
    {%- for column in deltawave._key_columns(job) if not deltawave._has_bounds([column]) -%}
      {%- do deltawave._fail('range_key_type', {
        'model': job.name, 'column': column.name, 'type': column.data_type, 'strategy': job.strategy.name,
      }) -%}
    {%- endfor -%}
  {%- endif -%}
{%- endmacro -%}
