{#
  The state of one attempt at a batch. All of its keys are named here; later steps fill them in by _update. Nothing is written yet. The record of
  its decision has the same names (see _commit_record).
#}
{%- macro _begin_batch(job, state, dump) -%}
  {%- set last = state.record -%}
  {%- set batch_id = (last.batch_id if last else 0) + 1 -%}
  {%- set generation = batch_id if state.is_new_generation or not last else last.generation -%}
  {%- set is_first = generation == batch_id -%}
  {%- set landed = {
    'kind': job.strategy.keeps if job.strategy.reads == 'dump' else 'slice', 'batch_id': batch_id, 'attempt': job.attempt,
  } -%}
  {%- set batch = {
    'batch_id': batch_id,
    'attempt': job.attempt,
    'label': batch_id ~ (' (' ~ dump.snapshot_date ~ ')' if dump.snapshot_date else ''),
    'snapshot_date': dump.snapshot_date,
    'batch_at': dump.batch_at,
    'dump_files': dump.files,
    'dump_checksum': none,
    'checksum_of': dump.checksum_of,
    'started_at': modules.datetime.datetime.now(modules.pytz.utc),

    'generation': generation,
    'is_first': is_first,
    'first_batch': batch_id if is_first else last.first_batch,
    'is_baseline': job.settings.initial_load == 'baseline' if is_first else last.is_baseline,
    'before_since': deltawave._before_since(job, batch_id, none if is_first else last),

    'columns': none,
    'hidden': none,
    'log': none,
    'log_table': none,

    'resumed': {},
    'compares_all': true,
    'fingerprint': none,
    'checksum_fingerprint': none,

    'landed': deltawave._attempt_relation(job, landed),
    'arrived': none,
    'new': none,
    'old': none,
    'changes': none,
    'turn': none,
    'is_idle': false,
    'progress': {},
    'checksums': 0,
    'measured': {},

    'is_against_log': false,
    'files': [],
    'kept': landed,
    'kept_as_of': batch_id,
    'ranges': none,

    'rows_old': 0 if is_first else last.rows_new,
    'rows_dump': none,
    'rows_new': none,
    'counts': none,
    'duplicates': none,
    'quarantined': 0,
  } -%}
  {%- do deltawave._update(batch, columns=deltawave._batch_columns(job, state, batch)) -%}
  {%- do deltawave._update(batch, hidden=deltawave._hidden_columns(batch, last)) -%}
  {%- do deltawave._use_log(job, batch, deltawave._batch_log(batch, last)) -%}
  {{ return(batch) }}
{%- endmacro -%}

{# The name of the log that receives the batch's changes: the last one, or a new one with wider columns. #}
{%- macro _batch_log(batch, last) -%}
  {%- if batch.is_first -%}
    {{ return(deltawave._generation_log(batch.generation)) }}
  {%- elif batch.columns | selectattr('is_widened') | list -%}
    {{ return(deltawave._rewritten_log(batch.batch_id, batch.attempt)) }}
  {%- endif -%}
  {{ return(last.log) }}
{%- endmacro -%}

{# The first batch from which on every change has its before image. A first batch has no changes that need one. #}
{%- macro _before_since(job, batch_id, last) -%}
  {%- if last is none -%}
    {{ return(batch_id) }}
  {%- endif -%}
  {%- set tells = job.settings.before_image != 'none' and (job.strategy.before_images == 'always' or deltawave._log_has_all_rows(job, last)) -%}
  {{ return(last.before_since if tells else batch_id + 1) }}
{%- endmacro -%}
