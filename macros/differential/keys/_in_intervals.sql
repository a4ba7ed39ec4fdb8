{#
  The condition that a key lies in one of the intervals [{low, high}] (low included, high excluded, none for an open end), in the order in
  which Spark sorts rows: nulls first, column by column. A bound is a list of literals, none for null. The form works in every database and
  applies no function to a column: the first column is also compared by itself, so that Spark skips files, and a database uses an index
  that starts with it.

    expressions  what is compared for each key column
#}
{%- macro _in_intervals(expressions, intervals) -%}
  {%- set parts = [] -%}
  {%- for interval in intervals -%}
    {%- set bounds = [] -%}
    {%- if interval.low is not none -%}{%- do bounds.append(deltawave._key_from(expressions, interval.low)) -%}{%- endif -%}
    {%- if interval.high is not none -%}
      {#- A lower bound may exclude null, which saves a search of the index. -#}
      {%- set with_null = interval.low is none or interval.low[0] is none -%}
      {%- do bounds.append(deltawave._key_before(expressions, interval.high, with_null)) -%}
    {%- endif -%}
    {%- do parts.append(bounds | join(' and ') or '1 = 1') -%}
  {%- endfor -%}
  {{ return(parts | join('\n    or ') or '1 = 0') }}
{%- endmacro -%}

{# The condition that a key equals a bound or comes after it. #}
{%- macro _key_from(expressions, low) -%}
  {%- set expression = expressions[0] -%}
  {%- set rest = deltawave._key_from(expressions[1:], low[1:]) if expressions | length > 1 else none -%}
  {%- if low[0] is none -%}
    {{ return('(' ~ expression ~ ' is not null or ' ~ rest ~ ')' if rest else '1 = 1') }}
  {%- endif -%}
  {%- set from_here = expression ~ ' >= ' ~ low[0] -%}
  {{ return('(' ~ from_here ~ ' and (' ~ expression ~ ' > ' ~ low[0] ~ ' or ' ~ rest ~ '))' if rest else from_here) }}
{%- endmacro -%}

{# The condition that a key comes before a bound. with_null: whether the first column may be null. #}
{%- macro _key_before(expressions, high, with_null=true) -%}
  {%- set expression = expressions[0] -%}
  {%- set rest = deltawave._key_before(expressions[1:], high[1:]) if expressions | length > 1 else none -%}
  {%- if high[0] is none -%}
    {{ return('(' ~ expression ~ ' is null and ' ~ rest ~ ')' if rest else '1 = 0') }}
  {%- endif -%}
  {%- set or_null = ' or ' ~ expression ~ ' is null' if with_null else '' -%}
  {%- set below = expression ~ ' < ' ~ high[0] ~ or_null -%}
  {%- if rest -%}
    {{ return('((' ~ expression ~ ' <= ' ~ high[0] ~ or_null ~ ') and (' ~ below ~ ' or ' ~ rest ~ '))') }}
  {%- endif -%}
  {{ return('(' ~ below ~ ')' if or_null else below) }}
{%- endmacro -%}
