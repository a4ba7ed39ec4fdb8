{#
  A Spark select (range_id int, row_count bigint, checksum string) for which the source computes the checksums of some
  adjacent key ranges (CH98 3.6), in one pass and in any order of rows: the exact sums of the rows' hashes, as text. A
  range without rows has no row here. Only these rows cross the network, and no rows of other ranges are read.

    columns  [{name, data_type, is_key, is_chosen}]; keys and compared columns are hashed
    ranges   [{range_id, low, high}] in key order. A range goes from its low, one text per key column, to the low of the
             next one; the first low and the last high may be none
#}
{%- macro _remote_checksums(job, columns, ranges) -%}
  {%- set keys = deltawave._remote_keys(job, columns) -%}
  {%- set hashes = deltawave._remote_row_hash(job, columns) -%}

  {%- set within = {'low': (ranges | first).low, 'high': (ranges | last).high | default(none)} -%}
  {%- set expressions, aliases = [], [] -%}
  {%- for key in keys -%}
    {%- do aliases.append(dict(key, expression=deltawave._remote_name(job, 'key_' ~ loop.index))) -%}
    {%- do expressions.append(key.expression ~ ' as ' ~ deltawave._remote_name(job, 'key_' ~ loop.index)) -%}
  {%- endfor -%}
  {%- set sums = [] -%}
  {#- Exact sums of 64-bit integers. -#}
  {%- set sum = 'sum(cast(%s as decimal(31, 0)))' if job.remote.dialect == 'derby' else 'sum(%s)' -%}
  {%- for hash in hashes -%}
    {%- do expressions.append(hash ~ ' as ' ~ deltawave._remote_name(job, 'hash_' ~ loop.index)) -%}
    {%- do sums.append(sum | format(deltawave._remote_name(job, 'hash_' ~ loop.index))) -%}
  {%- endfor -%}

  {%- set query -%}
select
    {{ deltawave._remote_name(job, 'range_id') }},
    count(*) as {{ deltawave._remote_name(job, 'row_count') }},
    {{ deltawave._remote_joined(job, sums) }} as {{ deltawave._remote_name(job, 'checksum') }}
from (
    select
        {%- for hash in hashes %}
        {{ deltawave._remote_name(job, 'hash_' ~ loop.index) }},
        {%- endfor %}
        {{ deltawave._range_case(job, aliases, ranges) }} as {{ deltawave._remote_name(job, 'range_id') }}
    from (
        select
            {{ expressions | join(',\n            ') }}
        from {{ deltawave._remote_dump(job) }}
        {%- if within.low is not none or within.high is not none %}
        where {{ deltawave._in_remote_intervals(job, keys, [within]) }}
        {%- endif %}
    ) as {{ deltawave._remote_name(job, 'hashed') }}
) as {{ deltawave._remote_name(job, 'ranged') }}
group by {{ deltawave._remote_name(job, 'range_id') }}
  {%- endset -%}
  {%- set view = deltawave._remote_view(job, query) -%}
  {{ return(
    'select cast(`range_id` as int) as `range_id`, cast(`row_count` as bigint) as `row_count`, `checksum` from ' ~ view
  ) }}
{%- endmacro -%}

{# Integers as text, with colons between them. #}
{%- macro _remote_joined(job, integers) -%}
  {{ return({
    'postgresql': 'cast(' ~ integers | join(" as text) || ':' || cast(") ~ ' as text)',
    'mysql': 'concat(cast(' ~ integers | join(" as char), ':', cast(") ~ ' as char))',
    'derby': 'trim(cast(' ~ integers | join(" as char(40))) || ':' || trim(cast(") ~ ' as char(40)))',
  }[job.remote.dialect]) }}
{%- endmacro -%}
