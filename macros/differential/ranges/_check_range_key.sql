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
