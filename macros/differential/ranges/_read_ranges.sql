{#
  The ranges in a table: [{range_id, low, high, row_count, checksum, is_accepted}]. Refuses a table that was changed
  since it was written.
#}
{%- macro _read_ranges(job, batch, source) -%}
  {%- set table = deltawave._attempt_relation(job, source) -%}
  {%- set texts = deltawave._bound_texts(job) -%}
  {%- set sql -%}
select
    range_id,
    row_count,
    checksum,
    is_accepted,
    {{ texts | join(',\n    ') }},
    ({{ deltawave._indented(deltawave._select_fingerprint_of(job, source)) }}) as fingerprint
from {{ table }}
order by range_id
  {%- endset -%}
  {%- set rows = deltawave._run(job, sql).rows -%}
  {%- if not rows or rows[0]['fingerprint'] != source.fingerprint -%}
    {%- do deltawave._refuse(job, batch, 'ranges_changed', {'ranges': table | string}) -%}
  {%- endif -%}
  {%- set found = [] -%}
  {%- for row in rows -%}
    {%- set low = none if loop.first else row.values()[4:-1] | list -%}
    {%- if found -%}{%- do found[-1].update(high=low) -%}{%- endif -%}
    {%- do found.append({
      'range_id': row[0] | int, 'low': low, 'high': none,
      'row_count': none if row[1] is none else row[1] | int, 'checksum': row[2],
      'is_accepted': row[3] | string | lower == 'true',
    }) -%}
  {%- endfor -%}
  {{ return(found) }}
{%- endmacro -%}

{%- macro _ranges_fingerprint(job, ranges) -%}
  {{ return(deltawave._run(job, deltawave._select_fingerprint_of(job, ranges)).rows[0][0]) }}
{%- endmacro -%}

{# A table of an earlier version, which its next renewal replaces, has no counts of updates. #}
{%- macro _select_fingerprint_of(job, ranges) -%}
  {%- set known = ["coalesce(cast(row_count as string), '-')", "coalesce(checksum, '-')", 'turn_inserts', 'turn_deletes', 'is_accepted'] -%}
  {%- set updates = ['turn_updates'] if ranges.get('counts_updates') else [] -%}
  {%- set parts = ['range_id'] + deltawave._bound_texts(job) + known + updates -%}
  {%- set sql -%}
select concat_ws(':', count(*), sum(cast(xxhash64({{ parts | join(', ') }}) as decimal(38, 0)))) as fingerprint
from {{ deltawave._attempt_relation(job, ranges) }}
  {%- endset -%}
  {{ return(sql) }}
{%- endmacro -%}

{%- macro _bound_texts(job) -%}
  {%- set texts = [] -%}
  {%- for column in deltawave._key_columns(job) -%}
    {%- do texts.append(deltawave._bound_text('low.key_' ~ loop.index, column.data_type)) -%}
  {%- endfor -%}
  {{ return(texts) }}
{%- endmacro -%}

{#
  A select of a relation's columns with range_id, found by binary search. Each step is a column computed from the
  previous one, which Spark compiles. count: the number of ranges.
#}
{%- macro _placed(job, source, columns, lows, count) -%}
  {%- set key = deltawave._key_struct(job) -%}
  {%- set bounds = '(select sort_array(collect_list(low)) from ' ~ lows ~ ' where range_id > 0)' -%}
  {%- set steps = deltawave._search_steps(count) -%}
select
    {%- for column in columns %}
    {{ column }},
    {%- endfor %}
    {%- for size in steps %}
    {%- set place = '`_step_' ~ (loop.index0) ~ '`' if not loop.first else '0' %}
    if({{ key }} >= get({{ bounds }}, {{ place }} + {{ size - 1 }}), {{ place }} + {{ size }}, {{ place }}) as `_step_{{ loop.index }}`,
    {%- endfor %}
    {{ '`_step_' ~ steps | length ~ '`' if steps else '0' }} as range_id
from {{ source }}
{%- endmacro -%}

{# The strides of a binary search among that many ranges: 4, 2, 1 for up to 8. #}
{%- macro _search_steps(count) -%}
  {%- set steps = [] -%}
  {%- for exponent in range(31) if 2 ** exponent < count -%}{%- do steps.insert(0, 2 ** exponent) -%}{%- endfor -%}
  {{ return(steps) }}
{%- endmacro -%}
