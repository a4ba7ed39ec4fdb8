{# Everything that has a name for one (batch, attempt). Nothing is written yet. #}
{%- macro _begin_batch(job, state, dump) -%}
  {%- set last = state.record -%}
  {%- set batch_id = (last.batch_id if last else 0) + 1 -%}
  {%- set generation = batch_id if state.is_new_generation or not last else last.generation -%}
  {%- set is_first = generation == batch_id -%}
  {%- set is_slice = job.settings.strategy in deltawave._slice_strategies() -%}
  {%- set landed = {'kind': 'slice' if is_slice else 'copy', 'batch_id': batch_id, 'attempt': job.attempt} -%}
  {%- set landed_table = deltawave._attempt_relation(job, landed) -%}
  {%- set batch = {
    'batch_id': batch_id,
    'generation': generation,
    'first_batch': batch_id if is_first else last.first_batch,
    'is_first': is_first,
    'is_slice': is_slice,
    'is_baseline': job.settings.initial_load == 'baseline' if is_first else last.is_baseline,
    'is_idle': false,
    'attempt': job.attempt,
    'snapshot_date': dump.snapshot_date,
    'batch_at': dump.batch_at,
    'label': batch_id ~ (' (' ~ dump.snapshot_date ~ ')' if dump.snapshot_date else ''),
    'rows_old': 0 if is_first else last.rows_new,
    'landed': landed_table,
    'arrived': landed_table,
    'new': landed_table,
    'kept_side': landed,
    'kept_as_of': batch_id,
    'progress': {},
    'checksums': 0,
    'ranges': none,
    'turn': none,
    'quarantined': 0,
    'before_since': deltawave._before_since(job, batch_id, none if is_first else last),
    'started_at': modules.datetime.datetime.now(modules.pytz.utc),
  } -%}
  {%- do batch.update(columns=deltawave._batch_columns(job, state, batch)) -%}
  {%- do batch.update(hidden=deltawave._hidden_columns(batch, last)) -%}
  {%- do batch.update(summed=deltawave._summed(job, batch)) -%}
  {%- do batch.update(log_name=deltawave._batch_log(batch, last)) -%}
  {%- do batch.update(log=deltawave._helper_relation(job, batch.log_name)) -%}
  {{ return(batch) }}
{%- endmacro -%}

{# The name of the log that takes the batch's changes: the last one, or one with wider columns. #}
{%- macro _batch_log(batch, last) -%}
  {%- if batch.is_first -%}
    {{ return(deltawave._generation_log(batch.generation)) }}
  {%- elif batch.columns | selectattr('is_widened') | list -%}
    {{ return(deltawave._rewritten_log(batch.batch_id, batch.attempt)) }}
  {%- endif -%}
  {{ return(last.log) }}
{%- endmacro -%}

{# From which batch on each change tells what was before it. A first batch has nothing to tell. #}
{%- macro _before_since(job, batch_id, last) -%}
  {%- if last is none -%}
    {{ return(batch_id) }}
  {%- endif -%}
  {%- set tells = job.settings.before_image != 'none' and (job.settings.strategy != 'row_checksum' or deltawave._log_has_all_rows(job, last)) -%}
  {{ return(last.before_since if tells else batch_id + 1) }}
{%- endmacro -%}
