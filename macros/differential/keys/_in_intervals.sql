{#
  Intervals of keys, in the order that Spark sorts rows by: null before all else, column after column. A bound is a list of texts, one
  for each key column, none for null; see _bound_text. Written without functions of the columns, so that files and indexes can be
  skipped by it.
  columns: [{name, data_type}], the key.
#}
{%- macro _in_intervals(columns, intervals) -%}
  {%- set conditions = [] -%}
  {%- for interval in intervals -%}
    {%- set sides = [] -%}
    {%- if interval.low is not none -%}{%- do sides.append(deltawave._key_from(columns, interval.low)) -%}{%- endif -%}
    {%- if interval.high is not none -%}{%- do sides.append(deltawave._key_below(columns, interval.high)) -%}{%- endif -%}
    {%- do conditions.append('(' ~ (sides | join(' and ') or 'true') ~ ')') -%}
  {%- endfor -%}
  {{ return('(' ~ (conditions | join('\n    or ') or 'false') ~ ')') }}
{%- endmacro -%}

{# The condition that a key comes before a bound. #}
{%- macro _key_below(columns, bound) -%}
  {%- set name = deltawave._quoted(columns[0].name) -%}
  {%- set value = deltawave._bound_literal(bound[0], columns[0].data_type) -%}
  {%- set before = 'false' if bound[0] is none else name ~ ' < ' ~ value ~ ' or ' ~ name ~ ' is null' -%}
  {%- if columns | length == 1 -%}
    {{ return('(' ~ before ~ ')') }}
  {%- endif -%}
  {{ return('(' ~ before ~ ' or ' ~ name ~ ' <=> ' ~ value ~ ' and ' ~ deltawave._key_below(columns[1:], bound[1:]) ~ ')') }}
{%- endmacro -%}

{# The condition that a key is a bound or comes after it. #}
{%- macro _key_from(columns, bound) -%}
  {%- set name = deltawave._quoted(columns[0].name) -%}
  {%- set value = deltawave._bound_literal(bound[0], columns[0].data_type) -%}
  {%- if columns | length == 1 -%}
    {{ return('true' if bound[0] is none else name ~ ' >= ' ~ value) }}
  {%- endif -%}
  {%- set after = name ~ ' is not null' if bound[0] is none else name ~ ' > ' ~ value -%}
  {{ return('(' ~ after ~ ' or ' ~ name ~ ' <=> ' ~ value ~ ' and ' ~ deltawave._key_from(columns[1:], bound[1:]) ~ ')') }}
{%- endmacro -%}
