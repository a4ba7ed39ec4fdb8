{# Opens a change log for an operation (see _operation). Repairs first, as a run does. #}
{%- macro _open_maintenance(macro_name, model_name) -%}
  {%- set node = deltawave._model_node(macro_name, model_name) -%}
  {%- if node.config.materialized != 'differential' -%}
    {%- do deltawave._fail('unknown_model', {'macro': macro_name, 'value': model_name}) -%}
  {%- endif -%}
  {%- set work = deltawave._operation_on(macro_name, node) -%}
  {%- if work is none -%}
    {%- do deltawave._fail('no_batch', {'macro': macro_name, 'model': node.name}) -%}
  {%- endif -%}
  {{ return(work) }}
{%- endmacro -%}

{# The operation on the change log of a node; none if it has no batch yet. #}
{%- macro _operation_on(macro_name, node) -%}
  {%- set settings = deltawave._differential_settings(node.name, node.config) -%}
  {%- set job = deltawave._open_job(node.name, settings, ref(node.package_name, node.name, v=node.version)) -%}
  {%- set record = deltawave._recover(job).record -%}
  {{ return(deltawave._operation(job, record, macro_name) if record else none) }}
{%- endmacro -%}

{#
  An operation: {job, record, batch}; record: the last decision. It is a batch without changes, with its own number,
  decision and row in x__batches, so that only one of an operation and a concurrent run is decided.
#}
{%- macro _operation(job, record, macro_name) -%}
  {%- set log = deltawave._rewritten_log(record.batch_id + 1, job.attempt) -%}
  {%- set attempt = deltawave._attempt(job, record, macro_name) -%}
  {{ return({'job': job, 'record': record, 'batch': dict(
    attempt, log=log, log_table=deltawave._helper_relation(job, log), strategy=macro_name
  )}) }}
{%- endmacro -%}

{#
  Commits an operation: the last record, with the partitions of the rewritten log, and the operation's changes. Returns
  the record.
#}
{%- macro _commit_maintenance(work, partitions, reason, changes) -%}
  {%- set batch, last = work.batch, work.record -%}
  {%- set facts = {'strategy': batch.strategy, 'reason': reason, 'rows_old': last.rows_new, 'history': last.history} -%}
  {%- for key in ['batch_at', 'snapshot_date', 'dump_files', 'dump_checksum', 'rows_dump', 'rows_new'] -%}
    {%- do facts.update({key: last[key]}) -%}
  {%- endfor -%}
  {%- set decision = deltawave._decision(work.job, batch, facts) -%}
  {%- set record = dict(last, source=none, erased_at=last.get('erased_at'), **decision) -%}
  {%- do deltawave._update(record, log=batch.log, partitions=partitions, **changes) -%}
  {%- do deltawave._update(record, tables=deltawave._tables_of(record.state, record.ranges, record.history)) -%}
  {%- do deltawave._commit(work.job, batch, record, last) -%}
  {%- do log('deltawave: ' ~ work.job.name ~ ': ' ~ reason ~ ' (as batch ' ~ batch.batch_id ~ ')', info=true) -%}
  {{ return(record) }}
{%- endmacro -%}

{#
  The batches of the log, oldest first, from x__batches: [{batch_id, attempt, batch_at, snapshot_date, rows_dump,
  rows_new, strategy, changes}].
#}
{%- macro _held_batches(work) -%}
  {%- set sql -%}
select
    batch_id,
    attempt,
    {{ deltawave._utc_text('batch_at') }} as batch_at,
    snapshot_date,
    rows_dump,
    rows_new,
    strategy,
    inserts + deletes + updates + backfilled as changes
from {{ deltawave._standing_batches(deltawave._batches_so_far(work.job, work.record)) }}
where batch_id between {{ work.record.first_batch }} and {{ work.record.batch_id }}
order by batch_id
  {%- endset -%}
  {%- set batches = [] -%}
  {%- for row in deltawave._run(work.job, sql).rows -%}
    {%- do batches.append({
      'batch_id': row[0] | int, 'attempt': row[1], 'batch_at': row[2], 'snapshot_date': row[3],
      'rows_dump': row[4] | int, 'rows_new': row[5] | int, 'strategy': row[6], 'changes': row[7] | int,
    }) -%}
  {%- endfor -%}
  {{ return(batches) }}
{%- endmacro -%}

{# The held batch with that number, which must not be the last one. #}
{%- macro _held_batch(macro_name, work, held, to_batch) -%}
  {%- for batch in held[:-1] if to_batch | string == batch.batch_id | string -%}
    {{ return(batch) }}
  {%- endfor -%}
  {%- do deltawave._fail('batch_range', {
    'macro': macro_name, 'model': work.job.name, 'value': to_batch,
    'known': held | map(attribute='batch_id') | join(', '),
  }) -%}
{%- endmacro -%}

{#
  The rows after one of the log's batches, in the columns that `record` shows; a log that began with a baseline does
  not have them.
#}
{%- macro _state_at(macro_name, work, to_batch, record) -%}
  {%- if record.is_baseline -%}
    {%- do deltawave._fail('baseline_log', {'macro': macro_name, 'model': work.job.name}) -%}
  {%- endif -%}
  {%- set settings = work.job.settings -%}
  {%- set log = '(\n' ~ deltawave._select_of_view(work.job, record) ~ '\n)' -%}
  {{ return(deltawave.current_state(
    log, settings.unique_key, to_batch=to_batch, columns=record.columns, duplicate_keys=settings.duplicate_keys
  )) }}
{%- endmacro -%}
