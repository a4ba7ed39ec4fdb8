{#
  The hash of a row: two independent 64-bit integers, as a list of expressions. columns: [{name, data_type}], the
  hashed ones. It distinguishes null, '' and values in neighbouring columns, and does not depend on a time zone. Equal
  rows have equal hashes only within one database: they are compared with those of an earlier run.
#}
{%- macro _remote_row_hash(job, columns) -%}
  {%- set named = [] -%}
  {%- for column in columns if column.is_key or column.is_chosen -%}
    {%- do named.append({'name': deltawave._remote_name(job, column.name), 'data_type': column.data_type | lower}) -%}
  {%- endfor -%}
  {{ return(deltawave._in_dialect(job, '_remote_row_hash')(named)) }}
{%- endmacro -%}

{# The text of a row quotes its values and writes null as nothing; each half of its MD5 is a number. #}
{%- macro postgresql___remote_row_hash(columns) -%}
  {%- set values = [] -%}
  {%- for column in columns -%}
    {%- if column.data_type == 'timestamp' -%}
      {%- do values.append('extract(epoch from ' ~ column.name ~ ')') -%}
    {%- elif column.data_type in ['float', 'double'] -%}
      {#- Its text depends on extra_float_digits; -0 becomes 0. -#}
      {%- do values.append('float8send(' ~ column.name ~ '::float8 + 0)') -%}
    {%- else -%}
      {%- do values.append(column.name) -%}
    {%- endif -%}
  {%- endfor -%}
  {%- set hashes = [] -%}
  {%- for first in [1, 17] -%}
    {%- do hashes.append(
      "('x' || substr(md5(row(" ~ values | join(', ') ~ ')::text), ' ~ first ~ ', 16))::bit(64)::bigint'
    ) -%}
  {%- endfor -%}
  {{ return(hashes) }}
{%- endmacro -%}

{# One MD5 per value, then one of them all: beyond max_allowed_packet a concat is null, and a change unseen. #}
{%- macro mysql___remote_row_hash(columns) -%}
  {%- set digests = [] -%}
  {%- for column in columns -%}
    {%- set value = column.name -%}
    {%- if column.data_type == 'timestamp' -%}
      {%- set value = 'unix_timestamp(' ~ column.name ~ ')' -%}
    {%- elif column.data_type in ['float', 'double', 'boolean'] -%}
      {#- A float's own text is cut to six digits. -#}
      {%- set value = column.name ~ ' + 0e0' -%}
    {%- endif -%}
    {%- do digests.append('coalesce(md5(' ~ value ~ "), '-')") -%}
  {%- endfor -%}
  {%- set digest = 'md5(concat(' ~ digests | join(', ') ~ '))' -%}
  {%- set hashes = [] -%}
  {%- for half in ['left', 'right'] -%}
    {#- Signed, like Spark's whole numbers. -#}
    {%- do hashes.append('cast(cast(conv(' ~ half ~ '(' ~ digest ~ ', 16), 16, 10) as unsigned) as signed)') -%}
  {%- endfor -%}
  {{ return(hashes) }}
{%- endmacro -%}

{# One hash per value, then one of them all, by Java's functions (deltawave_...): Derby has no hash of its own. #}
{%- macro derby___remote_row_hash(columns) -%}
  {%- set hashes = [] -%}
  {#- The second function hashes the same with a mark in front, at both levels. -#}
  {%- for mark in ['', "'1' || "] -%}
    {%- set parts = [] -%}
    {%- for column in columns -%}
      {%- do parts.append(
        'coalesce(cast(deltawave_hash(' ~ mark ~ deltawave._derby_text(column) ~ ") as char(20)), 'null')"
      ) -%}
    {%- endfor -%}
    {%- do hashes.append('deltawave_hash(' ~ mark ~ parts | join(' || ') ~ ')') -%}
  {%- endfor -%}
  {{ return(hashes) }}
{%- endmacro -%}

{# Derby casts numbers only to char, and neither floats nor bytes to text. #}
{%- macro _derby_text(column) -%}
  {%- if deltawave._whole_match('(tiny|small|big)?int|decimal\\(.*\\)', column.data_type) -%}
    {{ return('cast(' ~ column.name ~ ' as char(40))') }}
  {%- elif column.data_type in ['float', 'double'] -%}
    {{ return('cast(deltawave_bits(' ~ column.name ~ ' + 0e0) as char(40))') }}
  {%- elif column.data_type == 'binary' -%}
    {{ return('deltawave_hex(' ~ column.name ~ ')') }}
  {%- endif -%}
  {{ return('cast(' ~ column.name ~ ' as varchar(32000))') }}
{%- endmacro -%}
