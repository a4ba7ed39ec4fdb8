{# Makes one transition, and returns the record of its decision. `warnings`: a list to which it adds its own. #}
{%- macro _make_step(job, last, work, is_new, warnings) -%}
  {%- set batch = deltawave._begin_step(job, last, work) -%}
  {%- do deltawave._step(job, batch, 'stage') -%}
  {%- set shown = deltawave._wave_found(job, last) if last else none -%}
  {%- set options = {
    'settings': job.settings, 'record': none if is_new else shown, 'shown': shown, 'work': work, 'source': job.sql,
    'schema': job.state_schema, 'model': job.target.identifier, 'batch': batch.batch_id, 'attempt': batch.attempt,
  } -%}
  {%- set step = deltawave._call_wave(job, 'next_step', options) -%}
  {%- for statement in step.statements -%}{%- do deltawave._run(job, statement) -%}{%- endfor -%}
  {%- set checksums = deltawave._unsteady_days(job, batch, step.changed_days) -%}
  {%- if checksums -%}
    {#- The written rows stay; the record gets their checksums. -#}
    {%- set step = deltawave._call_wave(job, 'next_step', dict(options, checksums=checksums)) -%}
  {%- endif -%}
  {#- A view that Spark would refuse must not be decided. -#}
  {%- do deltawave._run(job, 'describe query ' ~ step.select) -%}
  {%- set record = deltawave._step_record(job, batch, step) -%}
  {%- if not last -%}{%- do deltawave._create_batches(job) -%}{%- endif -%}
  {%- do deltawave._commit(job, batch, record, last) -%}
  {#- The step clean drops whole tables only: replaced parts are dropped here, or by a run that has continued. -#}
  {%- for drop in step.drops if not deltawave._is_overtaken(job, record) -%}
    {%- do deltawave._run(job, drop) -%}
  {%- endfor -%}
  {%- do deltawave._report_batch(job, batch, record) -%}
  {%- if checksums -%}
    {%- do warnings.append(deltawave._message('unsteady_days', {
      'model': job.name, 'batch': batch.label, 'days': checksums.keys() | join(', '),
    })) -%}
  {%- endif -%}
  {{ return(record) }}
{%- endmacro -%}

{#
  New days whose rows, as written, differ from the rows that were counted before: {day: checksum of the written rows}.
  Sums of floating-point numbers and collect_set may give other values each time, which is accepted. Another number of
  rows is refused, and so is any difference in rows copied within the index.
#}
{%- macro _unsteady_days(job, batch, query) -%}
  {%- if not query -%}{{ return({}) }}{%- endif -%}
  {%- set found = adapter.call_library(
    'deltawave.wave.materialization.written', {'changed': '(\n' ~ query ~ '\n)'}, {}
  ) -%}
  {%- if found.changed or found.damaged -%}
    {#- If another run has decided this batch, it may have dropped what this one wrote: then that is the reason. -#}
    {%- set newest = deltawave._last_commit(job) -%}
    {%- if newest >= batch.batch_id -%}
      {%- set winner = deltawave._read_commit(job, newest).attempt -%}
      {%- do deltawave._refuse(job, batch, 'lost_the_batch', {'winner': winner, 'attempt': batch.attempt}) -%}
    {%- endif -%}
    {#- If the source has changed, copies of its new days differ as well, so this message comes first. -#}
    {%- if found.changed -%}
      {%- do deltawave._refuse(job, batch, 'changed_days', {'days': found.changed | join(', ')}) -%}
    {%- endif -%}
    {%- do deltawave._refuse(job, batch, 'damaged_days', {'days': found.damaged | join(', ')}) -%}
  {%- endif -%}
  {{ return(found.checksums) }}
{%- endmacro -%}

{# One attempt at a transition. #}
{%- macro _begin_step(job, last, work) -%}
  {%- set days = work.days | map(attribute='value') | list -%}
  {{ return(deltawave._attempt(
    job, last, days[0] ~ (' to ' ~ days[-1] if days | length > 1 else '') if days else work.kind
  )) }}
{%- endmacro -%}

{# The record of a transition's decision: it adds the text of the view, in which the wave index is described. #}
{%- macro _step_record(job, batch, step) -%}
  {%- set decision = deltawave._decision(job, batch, {
    'tables': deltawave._attempts_helpers(job, step.tables, deltawave._attempt_kinds()),
    'batch_at': deltawave._utc(run_started_at), 'snapshot_date': step.day, 'strategy': job.settings.scheme,
    'reason': step.kind, 'rows_old': step.rows_old, 'rows_dump': step.rows_delivered, 'rows_new': step.rows_new,
    'inserts': step.inserted, 'deletes': step.deleted,
  }) -%}
  {{ return(dict(decision, select=step.select)) }}
{%- endmacro -%}

{%- macro default___wave_view(job, record) -%}{{ return(record.select) }}{%- endmacro -%}
