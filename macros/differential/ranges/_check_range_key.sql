{#
  The auxiliary table of CH98 3.4, x__ranges_<batch>_<attempt>: key ranges that hold about as many rows each, however unevenly keys are
  spread. A row a range: range_id from 0 in key order, its low key, a struct of key_1, key_2, ... (included; nulls in range 0, which is open), where the
  strategy knows them the rows and the checksum of the range, and what its last reading told the guard (see _renew_ranges). The high key is
  the next one's low; the last range is open.
#}

{# Refuses a key that can't be cut where ranges are what is compared; the other strategies find rows in one range as well. #}
{%- macro _check_range_key(job) -%}
  {%- if job.strategy.ranges == 'compared' -%}
    {%- for column in deltawave._key_columns(job) if not deltawave._has_bounds([column]) -%}
      {%- do deltawave._fail('range_key_type', {
        'model': job.name, 'column': column.name, 'type': column.data_type, 'strategy': job.strategy.name,
      }) -%}
    {%- endfor -%}
  {%- endif -%}
{%- endmacro -%}
