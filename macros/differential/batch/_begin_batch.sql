{#
  One attempt at a batch of a differential. What it compares, and with what, never changes once it has begun. What was
  read is the strategy's `reading`; what comes out is the `result`, whose keys are named here and filled in by _update.
  Nothing is written yet. is_repeatable: whether the source can be read more than once, because it will show if it has
  changed.
#}
{%- macro _begin_batch(job, state, dump, expected_rows, is_repeatable) -%}
  {%- set is_first = state.is_new_generation or not state.record -%}
  {#- A new generation resumes from nothing: the state and the progress of the last one describe other rows. -#}
  {%- set last = none if is_first else state.record -%}
  {%- set attempt = deltawave._attempt(job, state.record, dump.snapshot_date) -%}
  {%- set batch_id = attempt.batch_id -%}
  {%- set columns = deltawave._batch_columns(job, last, batch_id, dump.snapshot_date) -%}
  {#- Columns of the log that readers do not see: dropped ones, until they come back. -#}
  {%- set shown = columns | map(attribute='name') | map('lower') | list -%}
  {%- set known = last.hidden + last.columns | map(attribute='name') | map('lower') | list if last else [] -%}
  {#- The changes go to the last log, or to a new one with wider columns. -#}
  {%- set log = deltawave._generation_log(batch_id) if is_first else last.log -%}
  {%- if not is_first and columns | selectattr('is_widened') | list -%}
    {%- set log = deltawave._rewritten_log(batch_id, job.attempt) -%}
  {%- endif -%}
  {#- From `before_since` on every change has its before image. A first batch has no changes that need one. -#}
  {%- set has_before = job.settings.before_image != 'none'
      and (job.strategy.before_images == 'always' or last and deltawave._log_has_all_rows(job, last)) -%}
  {%- set batch = dict(attempt, **{
    'staged_in': [log],
    'snapshot_date': dump.snapshot_date,
    'batch_at': dump.batch_at,
    'dump_files': dump.files,
    'checksum_of': dump.checksum_of,
    'missing': dump.missing,
    'expected_rows': expected_rows,
    'is_repeatable': is_repeatable,
    'seen': {'version': none, 'row_groups': none} if is_first else deltawave._parts_before(job, state),

    'generation': batch_id if is_first else last.generation,
    'is_first': is_first,
    'erased_at': state.record.get('erased_at') if state.record else none,
    'first_batch': batch_id if is_first else last.first_batch,
    'is_baseline': job.settings.initial_load == 'baseline' if is_first else last.is_baseline,
    'before_since': batch_id if is_first else last.before_since if has_before else batch_id + 1,
    'columns': columns,
    'hidden': known | reject('in', shown) | unique | sort,
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
      'bytes_dump': none,
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
  {%- do deltawave._update(job, is_small=deltawave._is_small(job, batch)) -%}
  {%- if job.strategy.resumes -%}
    {%- do deltawave._update(batch, **deltawave._resume(job, batch, last)) -%}
  {%- endif -%}
  {%- if job.strategy.checksums -%}
    {%- do deltawave._update(batch, checksum_fingerprint=deltawave._checksum_fingerprint(job, batch)) -%}
  {%- endif -%}
  {{ return(batch) }}
{%- endmacro -%}

{#
  What the last run has remembered of the rows that the state has: {version, row_groups}. version: of the one table that
  they were read from, if the options are the same; row_groups: the marks of the dump's row groups, none if they do not
  pay or the strategy does not take them.
#}
{%- macro _parts_before(job, state) -%}
  {%- set takes_marks = job.strategy.library and not job.settings.tolerance
      and state.record.rows_new >= adapter.dispatch('_many_rows', 'deltawave')() -%}
  {%- set remembered = fromjson(deltawave._remembered_parts(job, state) or '{}', {})
      if takes_marks or job.source_version else {} -%}
  {%- set parts = remembered if remembered.attempt == state.record.attempt else {} -%}
  {{ return({
    'version': parts.version if job.source_version and parts.options == deltawave._options_hash(job) else none,
    'row_groups': (parts.marks or '').split() if takes_marks else none,
  }) }}
{%- endmacro -%}

{#
  What to remember with the record whose state has this dump's rows, as a text; none if there is nothing. is_settled:
  has the source not changed since it was read? The state lacks rows of the source that were quarantined, or within a
  tolerance.
#}
{%- macro _parts_seen(job, batch, record, is_settled) -%}
  {%- set measured = batch.result.measured -%}
  {%- set version = measured.version[0] if measured.version else job.source_version if is_settled else none -%}
  {%- if job.strategy.reads != 'differences' or not deltawave._log_has_all_rows(job, batch) -%}
    {%- set version = none -%}
  {%- endif -%}
  {%- if batch.result.quarantined or job.settings.tolerance or not (version or measured.marks) -%}{{ return(none) }}{%- endif -%}
  {{ return(tojson({
    'attempt': record.attempt,
    'options': deltawave._options_hash(job),
    'version': version,
    'marks': (measured.marks or []) | join(' '),
  })) }}
{%- endmacro -%}

{# With other options, a row that has not changed may have to be logged. #}
{%- macro _options_hash(job) -%}
  {{ return(local_md5(tojson(deltawave._options_of_rows(job, none)))) }}
{%- endmacro -%}

{#
  Is one bucket enough? Yes if the previous state had few rows and the dump is small: another task would cost more than
  it saves. Sets bytes_dump. How large a first slice is is not known.
#}
{%- macro _is_small(job, batch) -%}
  {%- set small = adapter.dispatch('_small_table', 'deltawave')() -%}
  {%- if batch.rows_old > small.rows -%}
    {{ return(false) }}
  {%- elif job.strategy.reads != 'dump' -%}
    {{ return(batch.rows_old > 0) }}
  {%- endif -%}
  {%- do deltawave._update(batch.result, bytes_dump=deltawave._bytes_of_dump(job, batch)) -%}
  {{ return(batch.result.bytes_dump is not none and batch.result.bytes_dump <= small.bytes) }}
{%- endmacro -%}

{%- macro default___small_table() -%}{{ return({'rows': 100000, 'bytes': 16777216}) }}{%- endmacro -%}

{#
  A strategy that resumes does so from the progress of the last batch if that batch belongs to the same strategy and
  generation and no rewind followed. A strategy that resumes only under the same select compares all rows once if the
  select was edited, if the run is accepted, and under --full-refresh, which may have rebuilt models below. Returns
  keys of a batch.
#}
{%- macro _resume(job, batch, last) -%}
  {%- set resumed = deltawave._last_progress(job, last) -%}
  {%- set fingerprint = deltawave._select_fingerprint(job, batch) if job.strategy.resumes == 'select' else none -%}
  {%- set is_edited = fingerprint
      and (fingerprint != last.fingerprint or deltawave._is_accepted(job) or flags.FULL_REFRESH) -%}
  {%- if resumed and is_edited -%}
    {%- set reason = 'the select or configuration was edited, the run is accepted, or --full-refresh was given' -%}
    {%- do log('deltawave: ' ~ job.name ~ ': all rows are compared: ' ~ reason, info=true) -%}
  {%- endif -%}
  {{ return({'resumed': resumed, 'compares_all': not resumed or is_edited, 'fingerprint': fingerprint}) }}
{%- endmacro -%}

{# The progress of the last batch; empty after another strategy or a rewind. #}
{%- macro _last_progress(job, last) -%}
  {{ return(last.progress if last and last.progress_strategy == job.strategy.name else {}) }}
{%- endmacro -%}

{#
  What determines the rows and what counts as a change: the select, its database, the options, and the texts of the
  models below it: an edited view changes rows just as an edited select does. For a remote, the select that runs there:
  the view through which Spark reads it has a new name in each run. What is below a change log is left to that log.
#}
{%- macro _select_fingerprint(job, batch) -%}
  {%- set options = [] -%}
  {%- for option, declared in deltawave._options().items() if declared.selects -%}
    {%- do options.append(job.settings[option]) -%}
  {%- endfor -%}
  {%- set compared = [] -%}
  {%- for column in batch.columns if column.is_chosen -%}
    {%- do compared.append([column.name, column.tolerance]) -%}
  {%- endfor -%}
  {%- set texts = [] -%}
  {%- for parent in (deltawave._models_below(model) if job.strategy.reads != 'logs' else []) -%}
    {%- do texts.append(deltawave._code_of(parent, deltawave._view_text(job, parent))) -%}
  {%- endfor -%}
  {{ return(local_md5(tojson([
    job.remote.select if job.remote else job.sql, job.settings.remote, texts | sort, options, compared,
  ]))) }}
{%- endmacro -%}

{#
  A fingerprint of how checksums are computed (functions, columns), recorded with the batch. Checksums with different
  fingerprints cannot be compared.
#}
{%- macro _checksum_fingerprint(job, batch) -%}
  {%- set form = deltawave._form_for(job.strategy) -%}
  {%- if form.fingerprint -%}
    {{ return(deltawave._macro_named(form.fingerprint)(job, batch)) }}
  {%- elif job.remote -%}
    {%- set hashes = deltawave._remote_row_hash(job, deltawave._keys_first(job, batch)) -%}
    {{ return(local_md5(job.remote.name ~ hashes | join(' '))) }}
  {%- endif -%}
  {{ return(local_md5(deltawave._summed_text(batch))) }}
{%- endmacro -%}
