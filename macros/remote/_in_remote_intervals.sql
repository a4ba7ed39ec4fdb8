{#
  Conditions on a composite key, in the expanded form that every database takes. The first column is compared alone as well, so that an index
  which begins with it is used. A null part stands before every value, as Spark sorts it; none in a bound means null.
#}
{%- macro _remote_key_from(job, keys, low) -%}
  {%- set expression = keys[0].expression -%}
  {%- set rest = deltawave._remote_key_from(job, keys[1:], low[1:]) if keys | length > 1 else none -%}
  {%- if low[0] is none -%}
    {{ return('(' ~ expression ~ ' is not null or ' ~ rest ~ ')' if rest else '1 = 1') }}
  {%- endif -%}
  {%- set value = deltawave._remote_literal(job, keys[0], low[0]) -%}
  {%- set from_here = expression ~ ' >= ' ~ value -%}
  {{ return('(' ~ from_here ~ ' and (' ~ expression ~ ' > ' ~ value ~ ' or ' ~ rest ~ '))' if rest else from_here) }}
{%- endmacro -%}

{# with_null: whether the first column may be null; a lower bound beside this one may rule it out, and spares the index that search. #}
{%- macro _remote_key_before(job, keys, high, with_null=true) -%}
  {%- set expression = keys[0].expression -%}
  {%- set rest = deltawave._remote_key_before(job, keys[1:], high[1:]) if keys | length > 1 else none -%}
  {%- if high[0] is none -%}
    {{ return('(' ~ expression ~ ' is null and ' ~ rest ~ ')' if rest else '1 = 0') }}
  {%- endif -%}
  {%- set value = deltawave._remote_literal(job, keys[0], high[0]) -%}
  {%- set or_null = ' or ' ~ expression ~ ' is null' if with_null else '' -%}
  {%- set below = expression ~ ' < ' ~ value ~ or_null -%}
  {%- if rest -%}
    {{ return('((' ~ expression ~ ' <= ' ~ value ~ or_null ~ ') and (' ~ below ~ ' or ' ~ rest ~ '))') }}
  {%- endif -%}
  {{ return('(' ~ below ~ ')' if or_null else below) }}
{%- endmacro -%}

{# The condition that a key lies in one of the intervals [{low, high}]: low included, high excluded, none for an open end. #}
{%- macro _in_remote_intervals(job, keys, intervals) -%}
  {%- set parts = [] -%}
  {%- for interval in intervals -%}
    {%- set bounds = [] -%}
    {%- if interval.low is not none -%}{%- do bounds.append(deltawave._remote_key_from(job, keys, interval.low)) -%}{%- endif -%}
    {%- if interval.high is not none -%}
      {%- set with_null = interval.low is none or interval.low[0] is none -%}
      {%- do bounds.append(deltawave._remote_key_before(job, keys, interval.high, with_null)) -%}
    {%- endif -%}
    {%- do parts.append(bounds | join(' and ') or '1 = 1') -%}
  {%- endfor -%}
  {{ return(parts | join('\n    or ') or '1 = 0') }}
{%- endmacro -%}

{#
  The range that a row is in, found by halving: as many comparisons a row as the logarithm of the number of ranges, in any dialect. A null in
  the key makes a comparison null, hence not true, and leads to the left, where nulls stand.
#}
{%- macro _range_case(job, keys, ranges) -%}
  {%- if ranges | length == 1 -%}
    {{ return(ranges[0].range_id | string) }}
  {%- endif -%}
  {%- set middle = ranges | length // 2 -%}
  {{ return(
    'case when ' ~ deltawave._remote_key_from(job, keys, ranges[middle].low)
    ~ ' then ' ~ deltawave._range_case(job, keys, ranges[middle:])
    ~ ' else ' ~ deltawave._range_case(job, keys, ranges[:middle]) ~ ' end'
  ) }}
{%- endmacro -%}
