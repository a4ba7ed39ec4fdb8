{#
  Accepts the landed rows: all of them or, under duplicate_keys: quarantine, those with a unique key; rows of duplicate
  keys are quarantined. A bag of rows (duplicate_keys: multiset, LG95 4.6) has no duplicates.
#}
{%- macro _accept(job, batch, found) -%}
  {%- set is_all = deltawave._reads_whole(job.strategy) or batch.reading.incoming == batch.landed -%}
  {%- do deltawave._update(
    batch.result,
    dump_checksum=found.checksum,
    rows_dump=found.rows if is_all else deltawave._row_count(job, batch.landed),
    rows_new=found.rows,
    new=batch.reading.incoming,
  ) -%}
  {%- if found.duplicate_keys and job.settings.duplicate_keys == 'quarantine' -%}
    {%- set duplicates = deltawave._described_duplicates(job, batch, found) -%}
    {%- do deltawave._update(batch.result, duplicates=duplicates, quarantined=found.duplicate_rows) -%}
    {%- if batch.reading.changes -%}
      {#- Without the rows that would be held: duplicate keys are left out of the changes. -#}
      {%- set held = deltawave._row_count(job, '(' ~ deltawave._duplicates(job, batch) ~ ' and bool_or(was_kept))') -%}
      {%- do deltawave._update(batch.result, rows_new=found.rows - found.duplicate_rows + held) -%}
    {%- else -%}
      {%- set accepted = deltawave._accept_without_duplicates(job, batch) -%}
      {%- do deltawave._update(batch.result, new=accepted, rows_new=deltawave._row_count(job, accepted)) -%}
    {%- endif -%}
  {%- endif -%}
{%- endmacro -%}

{# The duplicate keys, for messages. #}
{%- macro _described_duplicates(job, batch, found) -%}
  {%- set keys = deltawave._quoted_list(job.settings.unique_key) -%}
  {%- set sql -%}
select concat_ws(', ', {% for key in keys %}coalesce(cast({{ key }} as string), 'null'){{ ', ' if not loop.last }}{% endfor %}) as example
from {{ batch.reading.incoming }}
group by {{ keys | join(', ') }}
having count(*) > 1
order by example
limit 3
  {%- endset -%}
  {%- set examples = [] -%}
  {%- for row in deltawave._run(job, sql).rows -%}{%- do examples.append('(' ~ row[0] ~ ')') -%}{%- endfor -%}
  {{ return({
    'keys': job.settings.unique_key | join(', '), 'count': found.duplicate_keys, 'examples': examples | join(', '),
  }) }}
{%- endmacro -%}

{#
  The new rows of a dump with duplicate keys: the landed rows of all other keys, and the previous rows of the duplicate
  keys. So a duplicate key stays as it was and is not deleted. Written like a copy (see _create_by_hash), so that the
  comparison needs no exchange.
#}
{%- macro _accept_without_duplicates(job, batch) -%}
  {%- set keys = job.settings.unique_key -%}
  {%- set columns = deltawave._landed_columns(job, batch) -%}
  {%- set names = columns | map(attribute='name') | list -%}
  {%- set old_hash = 'old_side.key_hash' if job.strategy.reads == 'dump' else deltawave._key_hash('old_side', keys) -%}
  {%- set accepted = deltawave._own_table(batch, 'accepted') -%}
  {%- set sql -%}
{{ deltawave._create_by_hash(job, accepted, columns) }}
with duplicates as (
    {{ deltawave._indented(deltawave._duplicates(job, batch)) }}
),

accepted as (
    select
        {{ deltawave._quoted_list(names, 'landed') | join(',\n        ') }},
        landed.key_hash
    from {{ batch.reading.incoming }} as landed
    left anti join duplicates
        on landed.key_hash = duplicates.key_hash and {{ deltawave._same_key(keys, 'landed', 'duplicates') }}
    {%- if not batch.is_first %}
    union all
    select
        {{ deltawave._previous_cells(batch, columns) | join(',\n        ') }},
        {{ old_hash }} as key_hash
    from {{ batch.reading.old }} as old_side
    left semi join duplicates
        on {{ old_hash }} = duplicates.key_hash and {{ deltawave._same_key(keys, 'old_side', 'duplicates') }}
    {%- endif %}
)

select /*+ repartition({{ deltawave._buckets(job) }}, key_hash) */
    {{ deltawave._quoted_list(names) | join(',\n    ') }},
    key_hash
from accepted
  {%- endset -%}
  {%- do deltawave._run(job, sql) -%}
  {{ return(deltawave._attempt_relation(job, accepted)) }}
{%- endmacro -%}

{# The landed columns for rows of the old side; null where that side does not have a column. #}
{%- macro _previous_cells(batch, columns) -%}
  {%- set known = batch.columns | selectattr('in_old') | map(attribute='name') | map('lower') | list -%}
  {%- set cells = [] -%}
  {%- for column in columns -%}
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
from {{ batch.reading.incoming }}
group by key_hash, {{ keys }}
having count(*) > 1
{%- endmacro -%}

{# A dump lands with all of its columns, anything else with those of the log. #}
{%- macro _landed_columns(job, batch) -%}
  {%- set logged = batch.columns | map(attribute='name') | map('lower') | list -%}
  {%- set columns = [] -%}
  {%- for column in job.columns if job.strategy.reads == 'dump' or column.name | lower in logged -%}
    {%- do columns.append(column) -%}
  {%- endfor -%}
  {{ return(columns) }}
{%- endmacro -%}
