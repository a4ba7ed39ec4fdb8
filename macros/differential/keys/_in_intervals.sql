{#
  The condition that a key lies in one of the intervals [{low, high}] (low included, high excluded, none for an open
  end), in the order in which Spark sorts rows: nulls first, column by column. A bound is a list of literals, none for
  null. The form works in every database and applies no function to a column: the first column is also compared by
  itself, so that Spark skips files, and a database uses an index that starts with it.

    expressions  what is compared for each key column
#}
{%- macro _in_intervals(expressions, intervals) -%}
  {%- set parts = [] -%}
  {%- for interval in intervals -%}
    {%- set bounds = [] -%}
    {%- if interval.low is not none -%}
      {%- do bounds.append(deltawave._key_from(expressions, interval.low)) -%}
    {%- endif -%}
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

{# A column as text from which _bound_literal makes the same value again in any session: timestamps are in UTC. #}
{%- macro _bound_text(expression, data_type) -%}
  {%- if data_type == 'timestamp' -%}{{ return(deltawave._clock_text(deltawave._utc_time(expression))) }}{%- endif -%}
  {{ return('cast(' ~ expression ~ ' as string)') }}
{%- endmacro -%}

{%- macro _bound_literal(text, data_type) -%}
  {%- if text is not none and data_type == 'timestamp' -%}{{ return("timestamp '" ~ text ~ " UTC'") }}{%- endif -%}
  {{ return('cast(' ~ deltawave._literal(text) ~ ' as ' ~ data_type ~ ')') }}
{%- endmacro -%}

{# A bound's values as literals; none for an open end. #}
{%- macro _bound_literals(columns, bound) -%}
  {%- if bound is none -%}{{ return(none) }}{%- endif -%}
  {%- set literals = [] -%}
  {%- for value in bound -%}
    {%- do literals.append(
      none if value is none else deltawave._bound_literal(value, columns[loop.index0].data_type)
    ) -%}
  {%- endfor -%}
  {{ return(literals) }}
{%- endmacro -%}

{# Types whose values are ordered and have a unique text; keys of other types form one range. #}
{%- macro _has_bounds(columns) -%}
  {%- for column in columns -%}
    {%- if not deltawave._whole_match(
      '(tiny|small|big)?int|decimal\\(\\d+,\\d+\\)|string|date|timestamp|timestamp_ntz|boolean', column.data_type
    ) -%}
      {{ return(false) }}
    {%- endif -%}
  {%- endfor -%}
  {{ return(true) }}
{%- endmacro -%}

{#
  The values of a table in some columns, if they are few: [{name, data_type, values}], as texts (see _bound_text), none
  for null. A condition on many values costs more per row than it saves. columns: [{name, data_type}].
#}
{%- macro _few_values(job, table, columns) -%}
  {%- set limit = 200 -%}
  {%- set few = [] -%}
  {%- for column in columns if deltawave._has_bounds([column]) -%}
    {%- set text = deltawave._bound_text(deltawave._quoted(column.name), column.data_type) -%}
    {%- set sql = 'select distinct ' ~ text ~ ' as value from ' ~ table ~ ' limit ' ~ (limit + 1) -%}
    {%- set values = deltawave._run(job, sql).rows | map(attribute=0) | list -%}
    {%- if values | length <= limit -%}{%- do few.append(dict(column, values=values)) -%}{%- endif -%}
  {%- endfor -%}
  {{ return(few) }}
{%- endmacro -%}

{# The condition that each column has one of its few values, by which Spark skips files without them. #}
{%- macro _has_few_values(few) -%}
  {%- set conditions = [] -%}
  {%- for column in few -%}
    {%- set name = deltawave._quoted(column.name) -%}
    {#-
      With no values, use `is null`, not `false`: Spark 4.1 fails on a full outer join with a side that it knows to be
      empty.
    -#}
    {%- set alternatives = [name ~ ' is null'] if none in column['values'] or not column['values'] else [] -%}
    {%- set literals = [] -%}
    {%- for value in column['values'] if value is not none -%}
      {%- do literals.append(deltawave._bound_literal(value, column.data_type)) -%}
    {%- endfor -%}
    {%- if literals -%}{%- do alternatives.append(name ~ ' in (' ~ literals | join(', ') ~ ')') -%}{%- endif -%}
    {%- do conditions.append('(' ~ alternatives | join(' or ') ~ ')') -%}
  {%- endfor -%}
  {{ return(conditions | join(' and ') or 'true') }}
{%- endmacro -%}
