{#
  A Spark select of only the rows whose key lies in one of the intervals [{low, high}] (low included, high excluded, none for an open end, bounds
  written as in _remote_checksums), with the columns of the model's select and row_checksum: the row's hashes, of which its range's checksum is
  the sum. No other row crosses the wire.
#}
{%- macro _remote_rows(job, columns, intervals, bits) -%}
  {%- set name = deltawave._in_dialect(job, '_remote_name') -%}
  {%- set keys = deltawave._remote_keys(job, columns) -%}
  {%- set hashes = deltawave._remote_row_hash(job, columns, bits) -%}
  {%- set query -%}
select
    {%- for column in columns %}
    {{ name(column.name) }},
    {%- endfor %}
    {{ deltawave._in_dialect(job, '_remote_joined')(hashes) }} as {{ name('row_checksum') }}
from {{ deltawave._remote_dump(job) }}
where
    {{ deltawave._in_remote_intervals(job, keys, intervals) }}
  {%- endset -%}
  {%- set view = deltawave._remote_view(job, query) -%}
  {%- set names = columns | map(attribute='name') | list -%}
  {{ return('select ' ~ deltawave._quoted_list(names + ['row_checksum']) | join(', ') ~ ' from ' ~ view) }}
{%- endmacro -%}
