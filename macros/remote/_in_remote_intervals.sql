{# The condition of _in_intervals in the database's dialect. keys: see _remote_keys; bounds are Spark's texts of the values. #}
{%- macro _in_remote_intervals(job, keys, intervals) -%}
  {%- set bounded = [] -%}
  {%- for interval in intervals -%}
    {%- do bounded.append({
      'low': deltawave._remote_bound(job, keys, interval.low), 'high': deltawave._remote_bound(job, keys, interval.high),
    }) -%}
  {%- endfor -%}
  {{ return(deltawave._in_intervals(keys | map(attribute='expression') | list, bounded)) }}
{%- endmacro -%}

{# A bound's values as literals of the database; none for an open end. #}
{%- macro _remote_bound(job, keys, bound) -%}
  {%- if bound is none -%}
    {{ return(none) }}
  {%- endif -%}
  {%- set literals = [] -%}
  {%- for value in bound -%}
    {%- do literals.append(none if value is none else deltawave._remote_literal(job, keys[loop.index0], value)) -%}
  {%- endfor -%}
  {{ return(literals) }}
{%- endmacro -%}

{#
  The range of a row, by binary search: the comparisons per row are the logarithm of the number of ranges, in any dialect. A null in the key makes
  a comparison null, hence not true, and leads to the left, where nulls are.
#}
{%- macro _range_case(job, keys, ranges) -%}
  {%- if ranges | length == 1 -%}
    {{ return(ranges[0].range_id | string) }}
  {%- endif -%}
  {%- set middle = ranges | length // 2 -%}
  {%- set low = deltawave._remote_bound(job, keys, ranges[middle].low) -%}
  {{ return(
    'case when ' ~ deltawave._key_from(keys | map(attribute='expression') | list, low)
    ~ ' then ' ~ deltawave._range_case(job, keys, ranges[middle:])
    ~ ' else ' ~ deltawave._range_case(job, keys, ranges[:middle]) ~ ' end'
  ) }}
{%- endmacro -%}
