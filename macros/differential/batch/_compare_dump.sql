{#
  Brings one dump into the log and returns the state after it. Every step has a name, and a kill between two steps
  loses nothing. is_repeatable: may the source be read more than once? is_whole: it is read whole, even if versions of
  its table show what has changed.
#}
{%- macro _compare_dump(job, state, dump, is_repeatable=true, is_whole=false) -%}
  {%- set expected = none if job.settings.expected_rows is none else deltawave._expected_rows(job, state, dump) -%}
  {%- set before = deltawave._source_fingerprint(job, expected) -%}
  {%- if deltawave._is_source_unchanged(job, state, before) -%}
    {%- do job.outcome.update(is_unread=true) -%}
    {{ return(state) }}
  {%- endif -%}
  {%- if job.sources -%}
    {%- do deltawave._check_checksum_files(job, state, dump) -%}
  {%- endif -%}
  {%- do deltawave._update(
    job, columns=deltawave._columns_of_dump(job, dump) if dump.missing else job.select_columns
  ) -%}
  {%- set batch = deltawave._begin_batch(job, state, dump, expected, is_repeatable and before is not none) -%}
  {%- set last = none if batch.is_first else state.record -%}
  {%- if config.get('contract').enforced -%}
    {%- do deltawave._check_contract(job, batch) -%}
  {%- endif -%}
  {%- do deltawave._step(job, batch, 'land') -%}
  {%- set opened = deltawave._open_state(job, batch, last) if last else none -%}
  {#- Before the comparison: a correction that comes between the two readings is warned of, and not lost. -#}
  {%- set checksum = deltawave._checksum_of_date(job, batch) if batch.checksum_of else none -%}
  {%- set by_version = none if is_whole else deltawave._differences_since_version(job, batch, opened) -%}
  {%- do deltawave._update(
    batch, reading=by_version or deltawave._macro_named(job.strategy.reader)(job, batch, opened)
  ) -%}
  {#- The same files may not have the number of rows that is expected now: they are checked, and then compared. -#}
  {%- if batch.reading.is_idle and batch.expected_rows is none -%}
    {%- do deltawave._discard(job, batch.staged_in, batch.batch_id, batch.attempt) -%}
    {%- set source = deltawave._settled_source_of(job, batch, before, expected) -%}
    {%- do deltawave._remember_source(
      job, state, source, deltawave._parts_seen(job, batch, state.record, source is not none)
    ) -%}
    {{ return(state) }}
  {%- endif -%}
  {%- do deltawave._step(job, batch, 'check') -%}
  {%- set landed = deltawave._count_landed(job, batch, last) -%}
  {%- set found = dict(landed, checksum=landed.checksum or checksum) -%}
  {%- do deltawave._check_dump(job, batch, found) -%}
  {%- do deltawave._accept(job, batch, found) -%}
  {%- do deltawave._step(job, batch, 'prepare') -%}
  {%- if batch.result.quarantined -%}
    {%- do deltawave._prepare_quarantine(job, batch) -%}
  {%- endif -%}
  {%- do deltawave._prepare_log(job, batch, last) -%}
  {%- do deltawave._check_erased(job, batch, is_staged=false) -%}
  {%- do deltawave._step(job, batch, 'stage') -%}
  {%- do deltawave._stage(job, batch) -%}
  {%- if batch.result.quarantined -%}
    {%- do deltawave._stage_quarantine(job, batch) -%}
  {%- endif -%}
  {%- do deltawave._step(job, batch, 'count') -%}
  {%- do deltawave._count_changes(job, batch) -%}
  {%- if batch.reading.expected and batch.reading.expected != batch.result.counts -%}
    {#- A key that an unchanged file has is in a new file, too. A full comparison says so. -#}
    {%- do log('deltawave: ' ~ job.name ~ ': all rows are read: what has changed does not fit the log', info=true) -%}
    {%- do deltawave._discard(job, batch.staged_in, batch.batch_id, batch.attempt) -%}
    {{ return(deltawave._compare_dump(job, state, dump, is_repeatable, is_whole=true)) }}
  {%- endif -%}
  {%- do deltawave._count_rows(job, batch) -%}
  {%- do deltawave._check_erased(job, batch, is_staged=true) -%}
  {%- do deltawave._keep_state(job, batch, opened) -%}
  {%- set source = deltawave._settled_source_of(job, batch, before, expected) -%}
  {%- if batch.reading.unlanded and source is none -%}
    {%- do log(
      'deltawave: ' ~ job.name ~ ': the source changed while it was read; it is read once more, and copied first',
      info=true
    ) -%}
    {%- do deltawave._discard(job, batch.staged_in, batch.batch_id, batch.attempt) -%}
    {{ return(deltawave._compare_dump(job, state, dump, is_repeatable=false, is_whole=is_whole)) }}
  {%- endif -%}

  {%- if deltawave._is_unchanged(job, batch, last) -%}
    {%- do deltawave._discard(job, batch.staged_in, batch.batch_id, batch.attempt) -%}
    {%- do deltawave._remember_source(
      job, state, source, deltawave._parts_seen(job, batch, state.record, source is not none)
    ) -%}
    {{ return(state) }}
  {%- endif -%}

  {%- do deltawave._step(job, batch, 'guard') -%}
  {%- do deltawave._guard(job, batch) -%}
  {%- if batch.result.quarantined -%}
    {%- do deltawave._warn_of_quarantined(job, batch) -%}
  {%- endif -%}
  {%- if job.dated_sources -%}
    {%- do deltawave._warn_of_bad_records(job, batch) -%}
  {%- endif -%}
  {%- set record = deltawave._commit_record(job, batch, last, source) -%}
  {%- do deltawave._commit(job, batch, record, state.record) -%}
  {%- do deltawave._note_taken_back(job, batch) -%}
  {%- do deltawave._report_batch(job, batch, record) -%}
  {%- set parts = deltawave._parts_seen(job, batch, record, source is not none) -%}
  {%- if parts -%}
    {%- do deltawave._remember_source(job, {'record': record, 'names': []}, source, parts) -%}
  {%- endif -%}
  {{ return({'record': record, 'is_new_generation': false, 'names': state.names}) }}
{%- endmacro -%}
