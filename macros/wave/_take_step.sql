{# Makes one transition, and returns the record of its decision. `warnings`: a list to which it adds its own. #}
{%- macro _take_step(job, last, work, is_new, warnings) -%}
  {%- set batch = deltawave._begin_step(job, last, work) -%}
  {%- do deltawave._step(job, batch, 'stage') -%}
  {%- set options = {
    'record': none if is_new or not last else tojson(deltawave._wave_found(job, last)),
    'former': tojson(deltawave._wave_found(job, last)) if last else none,
    'work': tojson(work),
    'source': job.sql,
    'schema': job.state_schema,
    'model': job.target.identifier,
    'batch': batch.batch_id,
    'attempt': batch.attempt,
  } -%}
  {%- set found = deltawave._ask_library(job, batch, 'next_step', options) -%}
  {%- for row in found if row.kind == 'statement' -%}
    {%- do deltawave._run(job, row.text) -%}
  {%- endfor -%}
  {%- set checksums = deltawave._unsteady_days(job, batch, found) -%}
  {%- if checksums -%}
    {#- The written rows stay; the record gets their checksums. -#}
    {%- set found = deltawave._ask_library(job, batch, 'next_step', dict(options, checksums=checksums)) -%}
  {%- endif -%}
  {%- set told = fromjson((found | selectattr('kind', 'equalto', 'outcome') | first).text) -%}
  {#- A view that Spark would refuse must not be decided. -#}
  {%- do deltawave._run(job, 'describe query ' ~ told.select) -%}
  {%- set record = deltawave._step_record(job, batch, told) -%}
  {%- if not last -%}
    {%- do deltawave._create_batches(job) -%}
  {%- endif -%}
  {%- do deltawave._commit(job, batch, record, last) -%}
  {#- The clean step drops tables; it does not know of parts in tables that stay. A run that has gone on meanwhile sweeps these, or drops the table. -#}
  {%- for row in found if row.kind == 'drop' and row.text.startswith('alter table') and not deltawave._is_overtaken(job, record) -%}
    {%- do deltawave._run(job, row.text) -%}
  {%- endfor -%}
  {%- do deltawave._report_batch(job, batch, {'insert': told.inserted, 'delete': told.deleted, 'update': 0, 'backfill': 0, 'quarantined': 0}) -%}
  {%- if checksums -%}
    {%- do warnings.append(deltawave._message('unsteady_days', {
      'model': job.name, 'batch': batch.label, 'days': checksums.keys() | join(', '),
    })) -%}
  {%- endif -%}
  {{ return(record) }}
{%- endmacro -%}

{#
  New days whose written values differ from the counted ones: {day: checksum of the written rows}. Another number of rows is refused; other values come
  from sums of floating-point numbers, and from collect_set, whose order varies. Rows that were copied within the index have to be the recorded ones.
#}
{%- macro _unsteady_days(job, batch, found) -%}
  {%- set others = [] -%}
  {%- set damaged = [] -%}
  {%- set checksums = {} -%}
  {%- for row in found if row.kind == 'changed_days' -%}
    {%- for day, checksum, has_other_count, is_copied in deltawave._run(job, row.text).rows -%}
      {%- if is_copied -%}
        {%- do damaged.append(day) -%}
      {%- else -%}
        {%- if has_other_count -%}{%- do others.append(day) -%}{%- endif -%}
        {%- do checksums.update({day: checksum}) -%}
      {%- endif -%}
    {%- endfor -%}
  {%- endfor -%}
  {%- if others or damaged -%}
    {#- A run that has decided this batch sweeps the leftovers of others for it. -#}
    {%- set newest = deltawave._last_commit(job) -%}
    {%- if newest >= batch.batch_id -%}
      {%- set winner = deltawave._read_commit(job, newest).attempt -%}
      {%- do deltawave._refuse(job, batch, 'lost_the_batch', {'winner': winner, 'attempt': batch.attempt}) -%}
    {%- endif -%}
    {#- Copies of a new day differ if the source does. -#}
    {%- if others -%}
      {%- do deltawave._refuse(job, batch, 'changed_days', {'days': others | join(', ')}) -%}
    {%- endif -%}
    {%- do deltawave._refuse(job, batch, 'damaged_days', {'days': damaged | unique | join(', ')}) -%}
  {%- endif -%}
  {{ return(checksums) }}
{%- endmacro -%}

{# One attempt at a transition. #}
{%- macro _begin_step(job, last, work) -%}
  {%- set days = work.days | map(attribute='value') | list -%}
  {{ return(deltawave._attempt(job, last, days[0] ~ (' to ' ~ days[-1] if days | length > 1 else '') if days else work.kind)) }}
{%- endmacro -%}

{# The record of a transition's decision: to what each decision has, it adds the text of the view, in which the wave index is described. #}
{%- macro _step_record(job, batch, told) -%}
  {%- set decision = deltawave._decision(job, batch, {
    'tables': deltawave._attempts_helpers(job, told.tables, deltawave._attempt_kinds()),
    'batch_at': deltawave._utc(run_started_at),
    'snapshot_date': told.day,
    'strategy': job.settings.scheme,
    'reason': told.kind,
    'rows_old': told.rows_old,
    'rows_dump': told.rows_delivered,
    'rows_new': told.rows_new,
    'inserts': told.inserted,
    'deletes': told.deleted,
  }) -%}
  {{ return(dict(decision, select=told.select)) }}
{%- endmacro -%}

{%- macro default___wave_view(job, record) -%}{{ return(record.select) }}{%- endmacro -%}
