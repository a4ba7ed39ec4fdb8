{#
  Makes the transitions of this run, and returns the record of the newest decision; none before the first day.
  `warnings`, `refused`: see _pending_days. An unchanged source is not read: it is remembered only after a run that
  leaves nothing to do, to refuse or to warn of. Its days are remembered after each run.
#}
{%- macro _load_days(job, state, warnings, refused) -%}
  {%- set source = deltawave._source_fingerprint(job, none) -%}
  {%- set dropped = deltawave._days_to_drop(job) -%}
  {#- A killed run may have left its preparation. -#}
  {%- set is_complete = state.record and not deltawave._wave_in(state.record.select).pending -%}
  {%- if is_complete and not dropped and deltawave._is_source_unchanged(job, state, source) -%}
    {#- The next run that reads the source drops the parts that a lost attempt has left. -#}
    {%- do job.outcome.update(is_unread=true) -%}
    {{ return(state.record) }}
  {%- endif -%}
  {%- set plan = deltawave._pending_days(job, state, warnings, refused) -%}
  {%- set progress = namespace(record=state.record, is_new=state.is_new_generation) -%}
  {%- for work in plan.works -%}
    {%- if work.kind != 'prepare' or deltawave._wave_in(progress.record.select).pending -%}
      {%- set progress.record = deltawave._make_step(job, progress.record, work, progress.is_new, warnings) -%}
      {%- set progress.is_new = false -%}
    {%- endif -%}
  {%- endfor -%}
  {%- if not progress.record -%}{%- do deltawave._create_without_days(job) -%}{%- endif -%}
  {%- do deltawave._sweep_parts(job, progress.record, state.record) -%}
  {%- if progress.record -%}
    {#- If this run has decided a batch, what was remembered before is already dropped, so there are no names of it. -#}
    {%- set seen_by = {'record': progress.record, 'names': [] if job.outcome.batches else state.names} -%}
    {%- set is_up_to_date = source and deltawave._is_up_to_date(job, progress.record, plan.days) -%}
    {%- set unchanged = deltawave._settled_source(job, source, none) if is_up_to_date else none -%}
    {%- set options = {
      'settings': job.settings, 'days': plan.days, 'states': plan.states, 'version': plan.version, 'text': job.sql,
    } -%}
    {%- do deltawave._remember_source(
      job, seen_by, unchanged, deltawave._call_wave(job, 'days_to_remember', options) if plan.states else ''
    ) -%}
  {%- endif -%}
  {{ return(progress.record) }}
{%- endmacro -%}

{# Would a run that finds these days again have nothing to do, to refuse or to warn of? #}
{%- macro _is_up_to_date(job, record, days) -%}
  {{ return(deltawave._call_wave(job, 'is_up_to_date', {
    'settings': job.settings, 'record': deltawave._wave_in(record.select), 'days': days,
    'started_at': deltawave._utc(run_started_at),
  })) }}
{%- endmacro -%}
