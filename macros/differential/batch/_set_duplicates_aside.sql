{#
  What becomes of keys that stand more than once: a dump that has some is refused, or goes on without them, or is taken as a bag of rows
  (LG95 4.6), as duplicate_keys says.
#}
{%- macro _settle_duplicates(job, batch, key_count, row_count) -%}
  {%- if job.settings.duplicate_keys != 'multiset' -%}
    {%- set duplicates = {
      'keys': job.settings.unique_key | join(', '),
      'count': key_count,
      'examples': deltawave._duplicate_examples(job, batch),
    } -%}
    {%- if job.settings.duplicate_keys == 'fail' -%}
      {%- do deltawave._refuse(job, batch, 'duplicate_key', duplicates) -%}
    {%- elif deltawave._warnings_are_errors() -%}
      {%- do deltawave._refuse(job, batch, 'quarantine_is_error', duplicates) -%}
    {%- endif -%}
    {%- do batch.update(quarantined=row_count, duplicates=duplicates) -%}
    {%- do deltawave._hold(job, batch) -%}
  {%- endif -%}
{%- endmacro -%}

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
{{ deltawave._create_side(job, held, deltawave._landed_columns(job, batch)) }}
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

{# The keys that stand more than once in the landed dump. #}
{%- macro _duplicates(job, batch) -%}
  {%- set keys = deltawave._quoted_list(job.settings.unique_key) | join(', ') -%}
select
    key_hash,
    {{ keys }}
from {{ batch.arrived }}
group by key_hash, {{ keys }}
having count(*) > 1
{%- endmacro -%}

{%- macro _duplicate_examples(job, batch) -%}
  {%- set keys = deltawave._quoted_list(job.settings.unique_key) -%}
  {%- set sql -%}
select concat_ws(', ', {% for key in keys %}coalesce(cast({{ key }} as string), 'null'){{ ', ' if not loop.last }}{% endfor %}) as example
from {{ batch.arrived }}
group by {{ keys | join(', ') }}
having count(*) > 1
order by example
limit 3
  {%- endset -%}
  {%- set examples = [] -%}
  {%- for row in deltawave._run(job, sql).rows -%}
    {%- do examples.append('(' ~ row[0] ~ ')') -%}
  {%- endfor -%}
  {{ return(examples | join(', ')) }}
{%- endmacro -%}
