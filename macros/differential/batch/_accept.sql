{#
  Accepts the landed rows: all of them or, under duplicate_keys: quarantine, those with a unique key; rows of duplicate keys are quarantined. A
  bag of rows (duplicate_keys: multiset, LG95 4.6) has no duplicates.
#}
{%- macro _accept(job, batch, found) -%}
  {%- set is_all = job.strategy.reads == 'dump' or batch.reading.arrived == batch.landed -%}
  {%- do deltawave._update(
    batch.result,
    dump_checksum=found.checksum,
    rows_dump=found.rows if is_all else deltawave._row_count(job, batch.landed),
    rows_new=found.rows,
    new=batch.reading.arrived,
  ) -%}
  {%- if found.duplicate_keys and job.settings.duplicate_keys == 'quarantine' -%}
    {%- set duplicates = deltawave._described_duplicates(job, batch, found) -%}
    {%- set accepted = deltawave._accept_without_duplicates(job, batch) -%}
    {%- do deltawave._update(
      batch.result, duplicates=duplicates, quarantined=found.duplicate_rows, new=accepted, rows_new=deltawave._row_count(job, accepted)
    ) -%}
  {%- endif -%}
{%- endmacro -%}

{# The duplicate keys, for messages. #}
{%- macro _described_duplicates(job, batch, found) -%}
  {{ return({
    'keys': job.settings.unique_key | join(', '),
    'count': found.duplicate_keys,
    'examples': deltawave._duplicate_examples(job, batch),
  }) }}
{%- endmacro -%}

{#
  The new rows of a dump with duplicate keys: the landed rows of all other keys, and the previous rows of the duplicate keys. So a duplicate key stays
  as it was and is not deleted. Written like a copy (see _create_by_hash), so that the comparison needs no exchange.
#}
{%- macro _accept_without_duplicates(job, batch) -%}
  {%- set keys = job.settings.unique_key -%}
  {%- set names = deltawave._quoted_list(deltawave._landed_columns(job, batch) | map(attribute='name')) -%}
  {%- set old_hash = 'old_side.key_hash' if job.strategy.reads == 'dump' else deltawave._key_hash('old_side', keys) -%}
  {%- set accepted = deltawave._own_table(batch, 'accepted') -%}
  {%- set sql -%}
{{ deltawave._create_by_hash(job, accepted, deltawave._landed_columns(job, batch)) }}
with duplicates as (
    {{ deltawave._indented(deltawave._duplicates(job, batch)) }}
),

accepted as (
    select
        {%- for name in names %}
        landed.{{ name }},
        {%- endfor %}
        landed.key_hash
    from {{ batch.reading.arrived }} as landed
    left anti join duplicates
        on landed.key_hash = duplicates.key_hash and {{ deltawave._same_key(keys, 'landed', 'duplicates') }}
    {%- if not batch.is_first %}
    union all
    select
        {%- for name in deltawave._previous_cells(job, batch) %}
        {{ name }},
        {%- endfor %}
        {{ old_hash }} as key_hash
    from {{ batch.reading.old }} as old_side
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
  {{ return(deltawave._attempt_relation(job, accepted)) }}
{%- endmacro -%}

{# The dump's columns for rows of the old side; null where that side lacks a column. #}
{%- macro _previous_cells(job, batch) -%}
  {%- set known = batch.columns | selectattr('in_old') | map(attribute='name') | map('lower') | list -%}
  {%- set cells = [] -%}
  {%- for column in deltawave._landed_columns(job, batch) -%}
    {%- set described = {'name': column.name, 'data_type': column.data_type, 'in_old': column.name | lower in known} -%}
    {%- do cells.append(deltawave._cell('old', described) ~ ' as ' ~ deltawave._quoted(column.name)) -%}
  {%- endfor -%}
  {{ return(cells) }}
{%- endmacro -%}

{# The keys with more than one row in the landed dump. #}
{%- macro _duplicates(job, batch) -%}
  {%- set keys = deltawave._quoted_list(job.settings.unique_key) | join(', ') -%}
select
    key_hash,
    {{ keys }}
from {{ batch.reading.arrived }}
group by key_hash, {{ keys }}
having count(*) > 1
{%- endmacro -%}

{%- macro _duplicate_examples(job, batch) -%}
  {%- set keys = deltawave._quoted_list(job.settings.unique_key) -%}
  {%- set sql -%}
select concat_ws(', ', {% for key in keys %}coalesce(cast({{ key }} as string), 'null'){{ ', ' if not loop.last }}{% endfor %}) as example
from {{ batch.reading.arrived }}
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

{# A dump lands with all of its columns, a slice with those of the log. #}
{%- macro _landed_columns(job, batch) -%}
  {{ return(job.columns if job.strategy.reads == 'dump' else batch.columns) }}
{%- endmacro -%}
