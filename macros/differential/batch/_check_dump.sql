{#
  Counts of the landed rows, without a shuffle: {rows, null_keys, duplicate_keys, duplicate_rows, undecoded_keys,
  undecoded_column}; of a dated dump its checksum; and the rows that the previous state has now. last: the decision
  before.
#}
{%- macro _count_landed(job, batch, last) -%}
  {%- set previous = deltawave._attempt_relation(job, last.state) if last and deltawave._form_of(last.state).write
      else none -%}
  {%- set undecoded = deltawave._undecoded_column(job, batch) if job.sources else '' -%}
  {%- if batch.reading.counted and not undecoded -%}
    {%- set found = dict({'checksum': none, 'undecoded_keys': 0, 'undecoded_column': none}, **batch.reading.counted) -%}
  {%- else -%}
    {%- set keys = deltawave._quoted_list(job.settings.unique_key) -%}
    {%- set state = batch.reading.state if batch.reading.is_whole and not undecoded else none -%}
    {%- set sql -%}
with keyed as (
    select
        {{ keys | join(', ') }},
        {%- if undecoded %}
        max({{ undecoded }}) as `_undecoded`,
        {%- endif %}
        count(*) as `_copies`
    from {{ deltawave._attempt_relation(job, state) if state else batch.reading.incoming }}
    group by key_hash, {{ keys | join(', ') }}
)

select
    coalesce(sum(`_copies`), 0) as dump_rows,
    coalesce(sum(if({{ keys | join(' is null and ') }} is null, `_copies`, 0)), 0) as null_keys,
    count_if(`_copies` > 1) as duplicate_keys,
    coalesce(sum(if(`_copies` > 1, `_copies`, 0)), 0) as duplicate_rows,
    {{ deltawave._landed_checksum(job, batch) | indent if batch.checksum_of else 'cast(null as string)' }} as checksum,
    {{ '(select count(*) from ' ~ previous ~ ')' if previous else 'null' }} as previous_rows
    {%- if undecoded %},
    count(`_undecoded`) as undecoded_keys,
    max(`_undecoded`) as undecoded_column
    {%- endif %}
from keyed
    {%- endset -%}
    {%- set row = deltawave._run(job, sql).rows[0] -%}
    {%- set found = {
      'rows': row[0] | int, 'null_keys': row[1] | int, 'duplicate_keys': row[2] | int, 'duplicate_rows': row[3] | int,
      'checksum': row[4], 'previous_rows': row[5] | int if previous else none,
      'undecoded_keys': row[6] | int if undecoded else 0, 'undecoded_column': row[7] if undecoded else none,
    } -%}
  {%- endif -%}
  {#- Each row that the previous state has lost would become an insert. -#}
  {%- if previous and found.previous_rows != last.state.rows -%}
    {%- do deltawave._refuse(job, batch, 'changed_copy', {
      'copy': previous | string, 'was': last.state.rows, 'is': found.previous_rows,
    }) -%}
  {%- endif -%}
  {{ return(found) }}
{%- endmacro -%}

{#
  The checksum of a dated dump, by which the same date is recognized when it is delivered again. It needs all rows:
  where only differences are landed, see _checksum_of_date.
#}
{%- macro _landed_checksum(job, batch) -%}
{%- if job.strategy.reads != 'dump' and not batch.is_first -%}
cast(null as string)
{%- else -%}
{%- set present = job.columns | map(attribute='name') | list -%}
(
    select concat({{ deltawave._literal(deltawave._before_sum(batch.checksum_of, batch.missing)) }}, {{ deltawave._exact_sums([batch.checksum_of.hash]) }})
    from (
        select
            {%- for column in job.select_columns %}
            {{ '' if column.name in present else 'cast(null as ' ~ column.data_type ~ ') as ' }}{{ deltawave._quoted(column.name) }}{{ ',' if not loop.last }}
            {%- endfor %}
        from {{ batch.reading.incoming }}
    ) as landed
)
{%- endif -%}
{%- endmacro -%}

{#
  The checksum of a dated dump of which only the differences are landed, unless its files are known (see
  _files_of_dates). Reads the dump again.
#}
{%- macro _checksum_of_date(job, batch) -%}
  {%- if batch.dump_files is not none or batch.is_first or job.strategy.reads != 'differences' -%}
    {{ return(none) }}
  {%- endif -%}
  {%- set found = deltawave._with_checksums(
    job, [{'snapshot_date': batch.snapshot_date, 'missing': batch.missing}], batch.checksum_of
  ) -%}
  {{ return(found[0].checksum if found else none) }}
{%- endmacro -%}

{#
  Refuses an empty or incomplete dump, text that was not decoded, null keys and, unless duplicate_keys allows them,
  duplicate keys. A slice may be empty.
#}
{%- macro _check_dump(job, batch, found) -%}
  {%- if batch.is_first or job.strategy.reads == 'dump' or batch.reading.is_whole -%}
    {%- do deltawave._check_rows(job, batch, found.rows) -%}
  {%- endif -%}
  {#- A source that has U+FFFD itself declares its encoding. -#}
  {%- if found.undecoded_keys -%}
    {%- set names = deltawave._undeclared_encodings(job) -%}
    {%- do deltawave._refuse(job, batch, 'undecoded', {
      'column': found.undecoded_column, 'count': found.undecoded_keys, 'sources': names | join(', '),
      'source': names[0],
    }) -%}
  {%- endif -%}
  {%- if found.null_keys -%}
    {%- do deltawave._refuse(job, batch, 'null_key', {
      'keys': job.settings.unique_key | join(', '), 'count': found.null_keys,
    }) -%}
  {%- endif -%}
  {%- set settings = job.settings -%}
  {%- if found.duplicate_keys and settings.duplicate_keys == 'fail' -%}
    {%- set remedy = deltawave._remedy_of_duplicates(job, batch) -%}
    {%- do deltawave._refuse(
      job, batch, 'duplicate_key', dict(deltawave._described_duplicates(job, batch, found), remedy=remedy)
    ) -%}
  {%- elif found.duplicate_keys and settings.duplicate_keys == 'quarantine' and deltawave._warnings_are_errors() -%}
    {%- do deltawave._refuse(job, batch, 'quarantine_is_error', deltawave._described_duplicates(job, batch, found)) -%}
  {%- endif -%}
{%- endmacro -%}

{# Refuses a dump without rows, or with another number of them than is expected. #}
{%- macro _check_rows(job, batch, rows) -%}
  {%- if rows == 0 and not job.settings.allow_empty and not deltawave._is_accepted(job) -%}
    {%- do deltawave._refuse(job, batch, 'empty_dump', {'rows_old': batch.rows_old}) -%}
  {%- elif batch.expected_rows is not none and batch.expected_rows != rows and not deltawave._is_accepted(job) -%}
    {%- do deltawave._refuse(job, batch, 'other_rows', {
      'rows': rows, 'expected': batch.expected_rows,
      'source': 'gives' if job.settings.expected_rows is string else 'is',
    }) -%}
  {%- endif -%}
{%- endmacro -%}

{#
  What the options can do about duplicate keys, to follow "choose another unique_key". auto takes another strategy for
  them. A log with batches cannot begin to count rows.
#}
{%- macro _remedy_of_duplicates(job, batch) -%}
  {%- set values = ['quarantine', 'multiset'] -%}
  {%- set takes = values if job.settings.is_auto else job.strategy.allows.get('duplicate_keys', values) -%}
  {%- set remedies = [] -%}
  {%- if 'quarantine' in takes -%}
    {%- do remedies.append(' set duplicate_keys: quarantine, which sets such rows aside with a warning') -%}
  {%- else -%}
    {%- do remedies.append(' take strategy: outer_join with duplicate_keys: quarantine, which sets such rows aside with a warning') -%}
  {%- endif -%}
  {%- set others = [] -%}
  {%- for option, allowed in deltawave._allowed_with_multiset().items() if job.settings[option] not in allowed -%}
    {%- do others.append(option) -%}
  {%- endfor -%}
  {%- if 'multiset' in takes and not others -%}
    {%- set where = ' ' if batch.batch_id == 1 else ', in a new model, ' -%}
    {%- do remedies.append(where ~ 'duplicate_keys: multiset, which counts the rows of a key') -%}
  {%- endif -%}
  {{ return(', or' ~ remedies | join(', or')) }}
{%- endmacro -%}
