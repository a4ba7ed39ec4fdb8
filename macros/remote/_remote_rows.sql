{#
  A Spark select of only the rows whose key is in one of the intervals [{low, high}] (low included, high excluded, none
  for an open end, bounds written as in _remote_checksums), with the columns of the model's select and row_checksum:
  the row's hashes, which add up to its range's checksum. No other row crosses the network.
#}
{%- macro _remote_rows(job, columns, intervals) -%}
  {%- set keys = deltawave._remote_keys(job, columns) -%}
  {%- set hashes = deltawave._remote_row_hash(job, columns) -%}
  {%- set query -%}
select
    {%- for column in columns %}
    {{ deltawave._remote_name(job, column.name) }},
    {%- endfor %}
    {{ deltawave._remote_joined(job, hashes) }} as {{ deltawave._remote_name(job, 'row_checksum') }}
from {{ deltawave._remote_dump(job) }}
where
    {{ deltawave._in_remote_intervals(job, keys, intervals) }}
  {%- endset -%}
  {%- set view = deltawave._remote_view(job, query) -%}
  {%- set names = columns | map(attribute='name') | list -%}
  {{ return('select ' ~ deltawave._quoted_list(names + ['row_checksum']) | join(', ') ~ ' from ' ~ view) }}
{%- endmacro -%}

{#
  The model's select; with a condition in the database's dialect, a view of only the rows for which it holds at the
  remote. Spark leaves no condition of its own to the database, which would compare text by its collation and
  timestamps by its time zone.
#}
{%- macro _source_rows(job, condition=none) -%}
  {%- if condition is none -%}{{ return(job.sql) }}{%- endif -%}
  {{ return(
    'select * from '
    ~ deltawave._remote_view(job, 'select *\nfrom ' ~ deltawave._remote_dump(job) ~ '\nwhere ' ~ condition)
  ) }}
{%- endmacro -%}

{# The model's select; at a remote, only its rows whose key is in one of the intervals [{low, high}]. #}
{%- macro _rows_in_intervals(job, batch, intervals) -%}
  {%- if not job.remote or intervals == [{'low': none, 'high': none}] -%}{{ return(job.sql) }}{%- endif -%}
  {%- set keys = deltawave._remote_keys(job, deltawave._keys_first(job, batch)) -%}
  {{ return(deltawave._source_rows(job, deltawave._in_remote_intervals(job, keys, intervals))) }}
{%- endmacro -%}

{# The condition, in the database's dialect, that a column equals a value, given as a Spark expression. #}
{%- macro _equal_at_remote(job, name, value) -%}
  {%- set key = deltawave._compared_at_remote(job, name, value) -%}
  {{ return(key.expression ~ ' = ' ~ key.literal) }}
{%- endmacro -%}

{# The condition that a column of timestamps or a counter is at least a value, or null. #}
{%- macro _since_at_remote(job, name, value) -%}
  {%- set key = deltawave._compared_at_remote(job, name, value) -%}
  {%- set since = key.expression ~ ' >= ' ~ key.literal -%}
  {%- if job.remote.dialect == 'mysql' and key.kind == 'timestamp' -%}
    {#-
      MySQL's index is on the column itself, whose values are local times of the connection's time zone. An hour occurs
      twice when clocks are set back. So the index is searched from a day earlier, and the exact time is checked on the
      rows found.
    -#}
    {%- set since = '(' ~ key.name ~ ' >= from_unixtime(greatest(' ~ key.literal ~ ' - 86400, 0)) and ' ~ since
        ~ ')' -%}
  {%- endif -%}
  {{ return('(' ~ since ~ ' or ' ~ key.name ~ ' is null)') }}
{%- endmacro -%}

{# The model's select; at a remote, only rows with one of a few values in each of these columns (see _few_values). #}
{%- macro _rows_with_values(job, few) -%}
  {%- set conditions = [] -%}
  {%- for column in few if job.remote -%}
    {%- set key = deltawave._remote_keys(job, [dict(column, is_key=true)])[0] -%}
    {%- set alternatives = [key.name ~ ' is null'] if none in column['values'] else [] -%}
    {%- set literals = [] -%}
    {%- for value in column['values'] if value is not none -%}
      {%- do literals.append(deltawave._remote_literal(job, key, value)) -%}
    {%- endfor -%}
    {%- if literals -%}
      {%- do alternatives.append(key.expression ~ ' in (' ~ literals | join(', ') ~ ')') -%}
    {%- endif -%}
    {%- do conditions.append('(' ~ (alternatives | join(' or ') or '1 = 0') ~ ')') -%}
  {%- endfor -%}
  {{ return(deltawave._source_rows(job, conditions | join(' and ') or none)) }}
{%- endmacro -%}

{# A column as in _remote_keys, with the value of a Spark expression as a literal to compare it with. #}
{%- macro _compared_at_remote(job, name, value) -%}
  {%- set found = deltawave._columns_of_query(job.sql) -%}
  {%- for column in found if column.name | lower == name | lower -%}
    {%- set key = deltawave._remote_keys(job, [dict(column, is_key=true)])[0] -%}
    {%- set sql = 'select ' ~ deltawave._bound_text('cast(' ~ value ~ ' as ' ~ column.data_type ~ ')', column.data_type)
        ~ ' as value' -%}
    {{ return(dict(key, literal=deltawave._remote_literal(job, key, deltawave._run(job, sql).rows[0][0]))) }}
  {%- endfor -%}
{%- endmacro -%}

{# A Spark select of one row, found, if the model's select has any row at the remote; otherwise of no row. #}
{%- macro _remote_any_row(job) -%}
  {%- set first = 'fetch first 1 rows only' if job.remote.dialect == 'derby' else 'limit 1' -%}
  {%- set found = deltawave._remote_name(job, 'found') -%}
  {{ return(
    'select `found` from '
    ~ deltawave._remote_view(job, 'select 1 as ' ~ found ~ ' from ' ~ deltawave._remote_dump(job) ~ ' ' ~ first)
  ) }}
{%- endmacro -%}
