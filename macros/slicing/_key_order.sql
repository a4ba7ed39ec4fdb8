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

{# A column as the text of which _bound_literal makes the same value again, in any session: time-stamps in UTC. #}
{%- macro _bound_text(expression, data_type) -%}
  {%- if data_type == 'timestamp' -%}
    {{ return(deltawave._clock_text(deltawave._utc_time(expression))) }}
  {%- endif -%}
  {{ return('cast(' ~ expression ~ ' as string)') }}
{%- endmacro -%}

{%- macro _bound_literal(text, data_type) -%}
  {%- if text is not none and data_type == 'timestamp' -%}
    {{ return("timestamp '" ~ text ~ " UTC'") }}
  {%- endif -%}
  {{ return('cast(' ~ deltawave._literal(text) ~ ' as ' ~ data_type ~ ')') }}
{%- endmacro -%}

{# Types whose values have an order and a text that is theirs alone; keys of other types lie in one range. #}
{%- macro _has_bounds(columns) -%}
  {%- for column in columns -%}
    {%- if not modules.re.fullmatch('(tiny|small|big)?int|decimal\\(\\d+,\\d+\\)|string|date|timestamp|timestamp_ntz|boolean', column.data_type) -%}
      {{ return(false) }}
    {%- endif -%}
  {%- endfor -%}
  {{ return(true) }}
{%- endmacro -%}
