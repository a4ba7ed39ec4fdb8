{# The record of a batch's decision: to what each decision has, it adds what the next run and the view need to know. #}
{%- macro _commit_record(job, batch, last, source) -%}
  {%- set reading, result = batch.reading, batch.result -%}
  {%- set columns = [] -%}
  {%- for column in batch.columns -%}
    {%- do columns.append({
      'name': column.name, 'data_type': column.data_type, 'is_key': column.is_key, 'in_copy': column.in_new,
      'since': column.since,
      'before_since': column.before_since, 'is_compared': column.is_chosen, 'tolerance': column.tolerance,
    }) -%}
  {%- endfor -%}
  {%- set size = deltawave._bytes_read(job, batch) -%}
  {%- do deltawave._merge_partitions(job, batch, last) -%}
  {%- set decision = deltawave._decision(job, batch, {
    'log': result.log,
    'partitions': result.partitions,
    'merge': result.merge,
    'history': result.history,
    'staged_in': [result.log] + ([job.quarantine] if result.quarantined else []),
    'tables': deltawave._tables_of(result.state, result.ranges, result.history),
    'batch_at': batch.batch_at,
    'snapshot_date': batch.snapshot_date,
    'dump_files': batch.dump_files,
    'dump_checksum': result.dump_checksum,
    'strategy': job.strategy.name,
    'reason': job.settings.reason,
    'checksums': reading.checksums,
    'rows_old': batch.rows_old,
    'rows_dump': result.rows_dump,
    'rows_new': result.rows_new,
    'bytes_dump': size.dump,
    'bytes_full': size.full,
    'quarantined': result.quarantined,
    'inserts': result.counts['insert'],
    'deletes': result.counts['delete'],
    'updates': result.counts['update'],
    'backfilled': result.counts['backfill'],
  }) -%}
  {#- With quarantined rows the source is read in each run, which reports them. -#}
  {{ return(dict(decision, **{
    'generation': batch.generation,
    'first_batch': batch.first_batch,
    'source': none if result.quarantined else source,
    'state': result.state,
    'ranges': result.ranges,
    'checksum_fingerprint': batch.checksum_fingerprint,
    'is_baseline': batch.is_baseline,
    'erased_at': batch.erased_at,
    'progress': reading.progress,
    'progress_strategy': job.strategy.name,
    'fingerprint': batch.fingerprint,
    'unique_key': job.settings.unique_key,
    'columns': columns,
    'hidden': batch.hidden,
    'previous_columns': deltawave._previous_columns(last, columns, batch.hidden) if last else [],
    'before_since': batch.before_since,
    'has_before': job.settings.before_image != 'none',
    'is_multiset': job.settings.duplicate_keys == 'multiset',
    'adopted': last.get('adopted') if last else deltawave._order_of_dump(job, batch) if job.has_adopted
      and batch.snapshot_date else none,
    'is_dated': job.settings.snapshot_date is not none,
    'snapshot_order': job.settings.snapshot_order,
  })) }}
{%- endmacro -%}

{#
  What a batch read, and what a full comparison would have read: {dump, full}, in bytes of files. Of a whole dump both
  are the files that the select reads. By versions of a table, the files that have changed are read, of a feed that is
  not known. Of a slice they are those in which its rows were landed and, where the state has whole rows, those of the
  state: Spark does not report how much of the source it read to find the slice. None where that takes another statement
  to know.
#}
{%- macro _bytes_read(job, batch) -%}
  {%- if batch.result.measured.version -%}
    {{ return({'dump': batch.result.measured.bytes, 'full': job.source_bytes}) }}
  {%- elif deltawave._reads_whole(job.strategy) -%}
    {%- set size = deltawave._bytes_of_dump(job, batch) if batch.result.bytes_dump is none
        else batch.result.bytes_dump -%}
    {{ return({'dump': size, 'full': size}) }}
  {%- endif -%}
  {%- set state = batch.result.state -%}
  {%- set has_rows = deltawave._form_of(state).has_rows -%}
  {{ return({
    'dump': deltawave._bytes_of(batch.landed),
    'full': deltawave._bytes_of(deltawave._attempt_relation(job, state)) if has_rows else none,
  }) }}
{%- endmacro -%}

{# A database shows no files, and would be connected to once more. #}
{%- macro _bytes_of_dump(job, batch) -%}
  {%- if job.source_bytes is not none -%}{{ return(job.source_bytes) }}{%- endif -%}
  {{ return(none if job.remote else deltawave._bytes_of('(\n' ~ deltawave._rows_of_dump(job, batch) ~ '\n)')) }}
{%- endmacro -%}

{# The size of the files of a table, or of a select in parentheses; none if the session does not list them. #}
{%- macro _bytes_of(relation) -%}
  {%- if not deltawave._runs_python() -%}{{ return(none) }}{%- endif -%}
  {{ return(adapter.call_library('deltawave.source_state.bytes_of', {'select': relation | string}, {})) }}
{%- endmacro -%}
