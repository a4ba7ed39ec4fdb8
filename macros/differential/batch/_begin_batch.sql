{#
  One attempt at a batch of a differential. What it compares, and with what, never changes once it has begun. What was read is the strategy's `reading`;
  what comes out is the `result`, whose keys are named here and filled in by _update. Nothing is written yet. is_repeatable: whether the source can be read
  more than once, because it will show if it has changed.
#}
{%- macro _begin_batch(job, state, dump, expected_rows, is_repeatable) -%}
  {%- set is_first = state.is_new_generation or not state.record -%}
  {#- A new generation resumes from nothing: the state and the progress of the last one describe other rows. -#}
  {%- set last = none if is_first else state.record -%}
  {%- set attempt = deltawave._attempt(job, state.record, dump.snapshot_date) -%}
  {%- set batch_id = attempt.batch_id -%}
  {%- set columns = deltawave._batch_columns(job, last, batch_id) -%}
  {%- set log = deltawave._batch_log(attempt, columns, last) -%}
  {%- set batch = dict(attempt, **{
    'staged_in': [log],
    'snapshot_date': dump.snapshot_date,
    'batch_at': dump.batch_at,
    'dump_files': dump.files,
    'checksum_of': dump.checksum_of,
    'expected_rows': expected_rows,
    'is_repeatable': is_repeatable,

    'generation': batch_id if is_first else last.generation,
    'is_first': is_first,
    'first_batch': batch_id if is_first else last.first_batch,
    'is_baseline': job.settings.initial_load == 'baseline' if is_first else last.is_baseline,
    'before_since': deltawave._before_since(job, batch_id, last),
    'columns': columns,
    'hidden': deltawave._hidden_columns(columns, last),
    'rows_old': 0 if is_first else last.rows_new,

    'resumed': {},
    'compares_all': true,
    'fingerprint': none,
    'checksum_fingerprint': none,

    'landed': deltawave._attempt_relation(job, deltawave._own_table(attempt, job.strategy.keeps if job.strategy.reads == 'dump' else 'slice')),
    'reading': none,
    'result': {
      'log': log,
      'log_table': deltawave._helper_relation(job, log),
      'partitions': last.partitions if last else [],
      'merge': last.merge if last else none,
      'history': state.record.history if state.record else none,
      'dump_checksum': none,
      'rows_dump': none,
      'rows_new': none,
      'new': none,
      'duplicates': none,
      'quarantined': 0,
      'counts': none,
      'measured': {},
      'state': none,
      'ranges': none,
    },
  }) -%}
  {%- do deltawave._update(job, is_small=0 < batch.rows_old <= adapter.dispatch('_small_rows', 'deltawave')()) -%}
  {%- do deltawave._update(batch, **deltawave._resume(job, batch, last)) -%}
  {{ return(batch) }}
{%- endmacro -%}

{# The name of the log that receives the batch's changes: the last one, or a new one with wider columns. #}
{%- macro _batch_log(attempt, columns, last) -%}
  {%- if last is none -%}
    {{ return(deltawave._generation_log(attempt.batch_id)) }}
  {%- elif columns | selectattr('is_widened') | list -%}
    {{ return(deltawave._rewritten_log(attempt.batch_id, attempt.attempt)) }}
  {%- endif -%}
  {{ return(last.log) }}
{%- endmacro -%}

{# The first batch from which on every change has its before image. A first batch has no changes that need one. #}
{%- macro _before_since(job, batch_id, last) -%}
  {%- if last is none -%}
    {{ return(batch_id) }}
  {%- endif -%}
  {%- set has_before = job.settings.before_image != 'none' and (job.strategy.before_images == 'always' or deltawave._log_has_all_rows(job, last)) -%}
  {{ return(last.before_since if has_before else batch_id + 1) }}
{%- endmacro -%}
