{# Some of the ranges as intervals; adjacent ranges are joined. #}
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

{# The condition that a key lies in some of the ranges. #}
{%- macro _ranges_condition(job, ranges, chosen) -%}
  {#-
    If no range is chosen, take the first: Spark 4.1 fails on a full outer join with a side that it knows to be empty.
  -#}
  {%- set chosen = chosen or ranges[:1] -%}
  {%- if chosen | length == ranges | length -%}{{ return('true') }}{%- endif -%}
  {%- set columns = deltawave._key_columns(job) -%}
  {%- set bounded = [] -%}
  {%- for interval in deltawave._intervals(chosen) -%}
    {%- do bounded.append({
      'low': deltawave._bound_literals(columns, interval.low),
      'high': deltawave._bound_literals(columns, interval.high),
    }) -%}
  {%- endfor -%}
  {{ return('(' ~ deltawave._in_intervals(deltawave._quoted_list(columns | map(attribute='name')), bounded) ~ ')') }}
{%- endmacro -%}

{#
  The chosen ranges. If they lie in more than `limit` places, the smallest gaps between them are filled: a condition
  with hundreds of intervals costs more per row than it saves.
#}
{%- macro _in_few_places(ranges, chosen, limit=200) -%}
  {%- set ids = chosen | map(attribute='range_id') | list -%}
  {%- set gaps = [] -%}
  {%- for id in ids[1:] -%}
    {%- set gap = id - 1 - ids[loop.index0] -%}
    {%- if gap -%}{%- do gaps.append(gap) -%}{%- endif -%}
  {%- endfor -%}
  {%- if gaps | length < limit -%}{{ return(chosen) }}{%- endif -%}
  {%- set widest_filled = (gaps | sort)[gaps | length - limit] -%}
  {%- set filled = [] -%}
  {%- set seen = namespace(last=none) -%}
  {%- for id in ids -%}
    {%- if seen.last is not none and id - 1 - seen.last <= widest_filled -%}
      {%- do filled.extend(ranges[seen.last + 1:id]) -%}
    {%- endif -%}
    {%- do filled.append(ranges[id]) -%}
    {%- set seen.last = id -%}
  {%- endfor -%}
  {{ return(filled) }}
{%- endmacro -%}
