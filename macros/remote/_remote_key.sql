{#
  What is compared of a key column, and a value of it, so that the database puts keys in the order of Spark: text by code point, whatever the
  collation of the column, and blanks at its end count. kind is one of _key_kind; padded is the length of a char(n), none for other columns.
#}
{%- macro postgresql___remote_key(name, kind, padded) -%}
  {%- if kind != 'text' -%}
    {{ return(name) }}
  {%- endif -%}
  {#- A cast takes a char(n)'s blanks away, which Spark shows. -#}
  {%- set text = 'rpad(' ~ name ~ '::text, ' ~ padded ~ ')' if padded else name ~ '::text' -%}
  {{ return('(' ~ text ~ ' collate "C")') }}
{%- endmacro -%}

{# Bytes: even MySQL's binary collations pass over blanks at the end. A time-stamp is compared as seconds, which no time zone moves. #}
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
  text, number, double, boolean, date, timestamp or timestamp_ntz, by Spark's type of a key column. Other types have no order, or no text, that
  Spark and the database share: a float's text is another number to a database that compares it as a double.
#}
{%- macro _key_kind(job, column) -%}
  {%- set data_type = column.data_type | lower -%}
  {%- set kinds = {
    '(var)?char\\(\\d+\\)|string': 'text',
    '(tiny|small|big)?int|decimal\\(.*\\)': 'number',
    'double': 'double',
    'boolean': 'boolean',
    'date': 'date',
    'timestamp': 'timestamp',
    'timestamp_ntz': 'timestamp_ntz',
  } -%}
  {%- for pattern, kind in kinds.items() if modules.re.fullmatch(pattern, data_type) -%}
    {#- Derby knows no time zones. -#}
    {%- if not (kind == 'timestamp' and job.remote.dialect == 'derby') -%}
      {{ return(kind) }}
    {%- endif -%}
  {%- endfor -%}
  {%- do deltawave._fail('remote_key_type', {'model': job.name, 'column': column.name, 'type': column.data_type, 'remote': job.remote.name}) -%}
{%- endmacro -%}

{# The key columns in their order: [{column, kind, name, expression}]. #}
{%- macro _remote_keys(job, columns) -%}
  {%- set keys = [] -%}
  {%- for column in columns if column.is_key -%}
    {%- set kind = deltawave._key_kind(job, column) -%}
    {%- set name = deltawave._in_dialect(job, '_remote_name')(column.name) -%}
    {%- set expression = deltawave._in_dialect(job, '_remote_key')(name, kind, job.remote.padded.get(column.name)) -%}
    {%- do keys.append({'column': column.name, 'kind': kind, 'name': name, 'expression': expression}) -%}
  {%- endfor -%}
  {{ return(keys) }}
{%- endmacro -%}
