{#
  The new side of a dump in which keys stand more than once: the landed rows without those keys, and the rows that the kept side holds
  of them. So such a key stays as it was, and is no delete. Written as the dump was (see _land): comparing needs no exchange.
#}
{%- macro _hold(job, batch) -%}
  {%- set keys = job.settings.unique_key -%}
  {%- set names = deltawave._quoted_list(deltawave._landed_columns(job, batch) | map(attribute='name')) -%}
  {%- set old_hash = deltawave._key_hash('old_side', keys) if batch.is_slice else 'old_side.key_hash' -%}
  {%- set held = deltawave._attempt_relation(job, {'kind': 'held', 'batch_id': batch.batch_id, 'attempt': batch.attempt}) -%}
  {%- set sql -%}
{{ deltawave._create_side(job, held, job.columns) }}
with duplicates as (
    {{ deltawave._indented(deltawave._duplicates(job, batch)) }}
),

accepted as (
    select
        {%- for name in names %}
        landed.{{ name }},
        {%- endfor %}
        landed.key_hash
    from {{ batch.arrived }} as landed
    left anti join duplicates
        on landed.key_hash = duplicates.key_hash and {{ deltawave._same_key(keys, 'landed', 'duplicates') }}
    {%- if not batch.is_first %}
    union all
    select
        {%- for name in deltawave._held_cells(job, batch) %}
        {{ name }},
        {%- endfor %}
        {{ old_hash }} as key_hash
    from {{ batch.old }} as old_side
    left semi join duplicates
        on {{ old_hash }} = duplicates.key_hash and {{ deltawave._same_key(keys, 'old_side', 'duplicates') }}
    {%- endif %}
)

select /*+ repartition({{ deltawave._buckets(job) }}, key_hash) */
    {%- for name in names %}
    {{ name }},
    {%- endfor %}
    key_hash
from accepted
  {%- endset -%}
  {%- do deltawave._run(job, sql) -%}
  {%- do batch.update(new=held, rows_new=deltawave._row_count(job, held)) -%}
{%- endmacro -%}

{# The dump's columns, of rows of the old side: null where that has none. #}
{%- macro _held_cells(job, batch) -%}
  {%- set known = batch.columns | selectattr('in_old') | map(attribute='name') | map('lower') | list -%}
  {%- set cells = [] -%}
  {%- for column in deltawave._landed_columns(job, batch) -%}
    {%- set described = {'name': column.name, 'data_type': column.data_type, 'in_old': column.name | lower in known} -%}
    {%- do cells.append(deltawave._cell('old', described) ~ ' as ' ~ deltawave._quoted(column.name)) -%}
  {%- endfor -%}
  {{ return(cells) }}
{%- endmacro -%}
