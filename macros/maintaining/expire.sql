{#
  Shortens a log: its batches up to to_batch, or all before a date, become one batch of inserts: the state after them.
  The log still replays to the last dump when it is applied from its start; the changes within the expired batches are
  lost.

    dbt run-operation deltawave.expire --args '{model: accounts_changes, before: "2026-01-01"}'

  before: a date or timestamp in UTC; batches whose _batch_at is earlier expire. The older log stays until purge;
  with purges: true it goes at once, with a receipt. Batches that a reader has still to read (see _first_unread) are
  refused; with even_unread: true they expire.
#}
{%- macro expire(model, to_batch=none, before=none, purges=false, even_unread=false) -%}
  {%- if not execute -%}{{ return(none) }}{%- endif -%}
  {%- if (to_batch is none) == (before is none) -%}
    {%- do deltawave._fail('one_of', {'macro': 'expire', 'one': 'to_batch', 'other': 'before'}) -%}
  {%- endif -%}
  {%- set work = deltawave._open_maintenance('expire', model) -%}
  {%- set held = deltawave._held_batches(work) -%}
  {%- if before is none -%}
    {%- set until = deltawave._held_batch('expire', work, held, to_batch) -%}
  {%- else -%}
    {%- set until = deltawave._batches_before(
      held[:-1], deltawave._instant_text('expire', 'before', before)
    ) | last -%}
  {%- endif -%}
  {%- if not until or until.batch_id == work.record.first_batch -%}
    {%- do deltawave._say(work.job, 'nothing to expire') -%}
    {{ return(none) }}
  {%- endif -%}
  {%- set expired = held | selectattr('batch_id', 'le', until.batch_id) | list -%}
  {%- set unread = none if even_unread else deltawave._first_unread(deltawave._model_node('expire', model), expired) -%}
  {%- if unread -%}
    {%- do deltawave._fail('unread_batches', {
      'macro': 'expire', 'model': work.job.name, 'follower': unread.by, 'batch': unread.batch_id,
    }) -%}
  {%- endif -%}

  {%- if purges -%}
    {%- do deltawave._expire_for_good(work, until) -%}
  {%- else -%}
    {%- do deltawave._expire_until(work, until) -%}
  {%- endif -%}
{%- endmacro -%}

{# Lets batches expire, drops what that supersedes, and writes a receipt. Returns the record. #}
{%- macro _expire_for_good(work, until) -%}
  {%- set job = work.job -%}
  {%- set places = deltawave._places_of(job) | selectattr('name', 'in', ['log', 'quarantine']) | list -%}
  {%- for place in places -%}{%- do place.update(before=deltawave._usage_of(place)) -%}{%- endfor -%}
  {%- set rows = deltawave._row_count(job, job.target) -%}
  {%- set record = deltawave._expire_until(work, until) -%}
  {%- do deltawave._drop_superseded(job, record) -%}
  {%- do places[0].update(rows=rows - deltawave._row_count(job, job.target)) -%}
  {%- do places[1].update(deltawave._expire_quarantine(job, until.batch_id)) -%}
  {%- do deltawave._write_receipt(job, 'expire', places) -%}
  {{ return(record) }}
{%- endmacro -%}

{#
  Drops the quarantined rows of batches up to one; killed, the next expiry does. In place, since nothing is compared
  with them, and a view may be over them. Returns how many, and what is not freed: {rows, still_there}.
#}
{%- macro _expire_quarantine(job, batch_id) -%}
  {%- set table = deltawave._quarantine_relation(job) -%}
  {%- if not deltawave._is_there(job, table) -%}{{ return({'rows': 0}) }}{%- endif -%}
  {%- set are_old = 'batch_id <= ' ~ batch_id -%}
  {%- set rows = deltawave._row_count(job, '(select 1 from ' ~ table ~ ' where ' ~ are_old ~ ')') -%}
  {%- set partitions = deltawave._partitions_in(job, table) | selectattr('batch_id', 'le', batch_id) | list -%}
  {%- if not partitions -%}{{ return({'rows': 0}) }}{%- endif -%}
  {%- if job.settings.file_format == 'parquet' -%}
    {%- for partition in partitions -%}
      {%- do deltawave._run(
        job, 'alter table ' ~ table ~ ' drop if exists partition (' ~ deltawave._partition_of(partition) ~ ')'
      ) -%}
    {%- endfor -%}
  {%- else -%}
    {%- do deltawave._run(job, 'delete from ' ~ table ~ ' where ' ~ are_old) -%}
  {%- endif -%}
  {{ return({'rows': rows, 'still_there': deltawave._kept_by_history(job, table)}) }}
{%- endmacro -%}

{# Replaces the batches up to one by their state. Returns the record. #}
{%- macro _expire_until(work, until) -%}
  {%- set partitions = deltawave._rewrite_log(
    work.job, work.batch, work.record, work.batch.log_table, until.batch_id + 1, work.record.batch_id,
    baseline=deltawave._expired_rows(work, until)
  ) -%}
  {%- set state = work.record.state -%}
  {#-
    A state cannot be patched by expired batches, whose deletes are lost; then the rows come from the log. A whole copy
    needs no patches: only operations can follow it.
  -#}
  {%- if deltawave._form_of(state).patched and state.as_of < until.batch_id -%}
    {%- set state = deltawave._log_alone() -%}
  {%- endif -%}
  {{ return(deltawave._commit_maintenance(work, partitions, 'expired the batches up to ' ~ until.batch_id, {
    'first_batch': until.batch_id, 'state': state,
  })) }}
{%- endmacro -%}

{# The state after a batch, as inserts of that batch, in the log's columns. #}
{%- macro _expired_rows(work, until) -%}
  {%- set given = {
    'change_type': "'insert'",
    'batch_at': deltawave._timestamp(until.batch_at),
  } -%}
  {#- Columns that only later dumps do not have are hidden now, and come back with a rewind. -#}
  {%- set shown = work.record.columns | map(attribute='name') | map('lower') | list -%}
  {%- set columns = work.record.columns | list -%}
  {%- for column in deltawave._columns_at(work.record, until.batch_id).columns if column.name | lower not in shown -%}
    {%- do columns.append(column) -%}
  {%- endfor -%}
  {%- for name in columns | map(attribute='name') -%}
    {%- do given.update({name | lower: 'state.' ~ deltawave._quoted(name)}) -%}
  {%- endfor -%}
select
    {%- for column in deltawave._columns_to_rewrite(work.job, work.record) %}
    {{ given[column.name | lower] or 'null' }} as {{ deltawave._quoted(column.name) }},
    {%- endfor %}
    {{ until.batch_id }} as of_batch
from (
    {{ deltawave._indented(deltawave._state_at('expire', work, until.batch_id, dict(work.record, columns=columns))) }}
) as state
{%- endmacro -%}

{# A date or timestamp argument of an operation, in the text form of stored instants. #}
{%- macro _instant_text(macro_name, option, value) -%}
  {%- set instant = 'try_cast(' ~ deltawave._literal(value | string) ~ ' as timestamp_ntz)' -%}
  {%- set parsed = run_query('select ' ~ deltawave._instant_format(instant)).rows[0][0] -%}
  {%- if parsed is none -%}
    {%- do deltawave._fail('instant_value', {'macro': macro_name, 'option': option, 'value': value}) -%}
  {%- endif -%}
  {{ return(parsed) }}
{%- endmacro -%}
