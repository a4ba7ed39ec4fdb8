{#
  The chosen ranges. If they lie in more than `limit` places, the smallest gaps between them are filled: a condition with hundreds of intervals
  costs more per row than it saves.
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
