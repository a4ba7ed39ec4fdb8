{#
  The expression that is compared for a key column, so that the database orders keys as Spark does: text by code point,
  whatever the column's collation, and with trailing blanks significant. kind: see _key_kind; padded: the length of a
  char(n), none for other columns.
#}
{%- macro postgresql___remote_key(name, kind, padded) -%}
  {%- if kind != 'text' -%}{{ return(name) }}{%- endif -%}
  {#- A cast drops a char(n)'s trailing blanks, which Spark shows. -#}
  {%- set text = 'rpad(' ~ name ~ '::text, ' ~ padded ~ ')' if padded else name ~ '::text' -%}
  {{ return('(' ~ text ~ ' collate "C")') }}
{%- endmacro -%}

{# Bytes, since even binary collations of MySQL ignore trailing blanks; seconds, which no time zone shifts. #}
{%- macro mysql___remote_key(name, kind, padded) -%}
  {%- if kind == 'text' -%}
    {%- set text = 'rpad(' ~ name ~ ', ' ~ padded ~ ", ' ')" if padded else name -%}
    {{ return('cast(convert(' ~ text ~ ' using utf8mb4) as binary)') }}
  {%- endif -%}
  {{ return('unix_timestamp(' ~ name ~ ')' if kind == 'timestamp' else name) }}
{%- endmacro -%}

{# Derby orders text by UTF-16, and bytes as if blanks followed; a zero byte ends them. #}
{%- macro derby___remote_key(name, kind, padded) -%}
  {{ return('deltawave_bytes(' ~ name ~ ") || X'00'" if kind == 'text' else name) }}
{%- endmacro -%}

{#
  text, number, double, boolean, date, timestamp or timestamp_ntz, by Spark's type of a key column. Other types have no
  order or no text that Spark and the database share: a database that compares a float as a double reads the float's
  text as a different number.
#}
{%- macro _key_kind(job, column) -%}
  {%- set data_type = column.data_type | lower -%}
  {%- set kinds = {
    '(var)?char\\(\\d+\\)|string': 'text', '(tiny|small|big)?int|decimal\\(.*\\)': 'number', 'double': 'double',
    'boolean': 'boolean', 'date': 'date', 'timestamp': 'timestamp', 'timestamp_ntz': 'timestamp_ntz',
  } -%}
  {%- for pattern, kind in kinds.items() if deltawave._whole_match(pattern, data_type) -%}
    {#- Derby has no time zones. -#}
    {%- if not (kind == 'timestamp' and job.remote.dialect == 'derby') -%}{{ return(kind) }}{%- endif -%}
  {%- endfor -%}
  {%- do deltawave._fail('remote_key_type', {
    'model': job.name, 'column': column.name, 'type': column.data_type, 'remote': job.remote.name,
  }) -%}
{%- endmacro -%}

{# The key columns in their order: [{column, kind, name, expression}]. #}
{%- macro _remote_keys(job, columns) -%}
  {%- set keys = [] -%}
  {%- for column in columns if column.is_key -%}
    {%- set kind = deltawave._key_kind(job, column) -%}
    {%- set name = deltawave._remote_name(job, column.name) -%}
    {%- set expression = deltawave._in_dialect(job, '_remote_key')(name, kind, job.remote.padded.get(column.name)) -%}
    {%- do keys.append({'column': column.name, 'kind': kind, 'name': name, 'expression': expression}) -%}
  {%- endfor -%}
  {{ return(keys) }}
{%- endmacro -%}

{# The condition of _in_intervals in the database's dialect. keys: see _remote_keys; bounds: Spark's texts of values. #}
{%- macro _in_remote_intervals(job, keys, intervals) -%}
  {%- set bounded = [] -%}
  {%- for interval in intervals -%}
    {%- do bounded.append({
      'low': deltawave._remote_bound(job, keys, interval.low),
      'high': deltawave._remote_bound(job, keys, interval.high),
    }) -%}
  {%- endfor -%}
  {{ return(deltawave._in_intervals(keys | map(attribute='expression') | list, bounded)) }}
{%- endmacro -%}

{# A bound's values as literals of the database; none for an open end. #}
{%- macro _remote_bound(job, keys, bound) -%}
  {%- if bound is none -%}{{ return(none) }}{%- endif -%}
  {%- set literals = [] -%}
  {%- for value in bound -%}
    {%- do literals.append(none if value is none else deltawave._remote_literal(job, keys[loop.index0], value)) -%}
  {%- endfor -%}
  {{ return(literals) }}
{%- endmacro -%}

{#
  The range of a row, by binary search: the comparisons per row are the logarithm of the number of ranges, in any
  dialect. A null in the key makes a comparison null, hence not true, and leads to the left, where nulls are.
#}
{%- macro _range_case(job, keys, ranges) -%}
  {%- if ranges | length == 1 -%}{{ return(ranges[0].range_id | string) }}{%- endif -%}
  {%- set middle = ranges | length // 2 -%}
  {%- set low = deltawave._remote_bound(job, keys, ranges[middle].low) -%}
  {{ return(
    'case when ' ~ deltawave._key_from(keys | map(attribute='expression') | list, low)
    ~ ' then ' ~ deltawave._range_case(job, keys, ranges[middle:])
    ~ ' else ' ~ deltawave._range_case(job, keys, ranges[:middle]) ~ ' end'
  ) }}
{%- endmacro -%}
