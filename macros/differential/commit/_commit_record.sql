{# Everything that the next run and the view need to know. The format has a version; an unknown one is refused. #}
{%- macro _commit_record(job, batch, last) -%}
  {%- set columns = [] -%}
  {%- for column in batch.columns -%}
    {%- do columns.append({
      'name': column.name, 'data_type': column.data_type, 'is_key': column.is_key, 'in_copy': column.in_new, 'since': column.since,
      'told_since': column.told_since, 'is_compared': column.is_chosen, 'tolerance': column.tolerance,
    }) -%}
  {%- endfor -%}
  {#- How near rows lie is measured only if both sides are in the dump's order; until the next such batch it is assumed unchanged. -#}
  {%- set of_dumps = ['ordered', 'files'] -%}
  {%- set is_ordered = last and last.kept.kind in of_dumps and batch.kept.kind in of_dumps and not batch.is_against_log -%}
  {{ return(dict(deltawave._decision_time(batch), **{
    'version': deltawave._state_version(),
    'target': deltawave._target_of(job),
    'batch_id': batch.batch_id,
    'attempt': batch.attempt,
    'generation': batch.generation,
    'first_batch': batch.first_batch,
    'log': batch.log,
    'file_format': job.settings.file_format,
    'kept': batch.kept,
    'kept_as_of': batch.kept_as_of,
    'ranges': batch.ranges,
    'checksum_fingerprint': batch.checksum_fingerprint,
    'is_baseline': batch.is_baseline,
    'progress': batch.progress,
    'progress_strategy': job.strategy.name,
    'fingerprint': batch.fingerprint,
    'unique_key': job.settings.unique_key,
    'columns': columns,
    'hidden': batch.hidden,
    'former_columns': deltawave._former_columns(last, columns, batch.hidden) if last else [],
    'before_since': batch.before_since,
    'has_before': job.settings.before_image != 'none',
    'is_multiset': job.settings.duplicate_keys == 'multiset',
    'is_dated': job.settings.snapshot_date is not none,
    'snapshot_date': batch.snapshot_date,
    'batch_at': batch.batch_at,
    'dump_files': batch.dump_files,
    'dump_checksum': batch.dump_checksum,
    'strategy': job.strategy.name,
    'reason': job.settings.reason,
    'checksums': batch.checksums,
    'checksum_bits': job.settings.checksum_bits,
    'rows_old': batch.rows_old,
    'rows_dump': batch.rows_dump,
    'rows_new': batch.rows_new,
    'quarantined': batch.quarantined,
    'inserts': batch.counts['insert'],
    'deletes': batch.counts['delete'],
    'updates': batch.counts['update'],
    'backfilled': batch.counts['backfill'],
    'measured': batch.measured if is_ordered else {},
    'nearness': batch.measured if is_ordered else (last or {}).get('nearness'),
    'batches_columns': deltawave._batches_columns().keys() | list,
    'rewound_to': none,
  })) }}
{%- endmacro -%}

{# When a batch is decided, and how long it took until then. #}
{%- macro _decision_time(batch) -%}
  {%- set now = modules.datetime.datetime.now(modules.pytz.utc) -%}
  {{ return({'seconds': (now - batch.started_at).total_seconds() | round(3), 'decided_at': deltawave._utc(now)}) }}
{%- endmacro -%}

{%- macro _state_version() -%}{{ return(3) }}{%- endmacro -%}

{# The relation that the state belongs to. #}
{%- macro _target_of(job) -%}
  {{ return({'schema': job.target.schema, 'identifier': job.target.identifier}) }}
{%- endmacro -%}
