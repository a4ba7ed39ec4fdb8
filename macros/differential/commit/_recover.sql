{#
  The current state: {record: of the last decided batch, or none, is_new_generation, names: of the model's relations}.
  The first thing that a run does (differential.sql): it finishes a batch that a killed run had decided. A batch that
  was not decided is compared anew; the tables of the killed attempt go once the batch is decided (_clear_leftovers).
#}
{%- macro _recover(job) -%}
  {%- set state = deltawave._repair(job) -%}
  {{ return(dict(
    state, is_new_generation=deltawave._starts_generation(job, state.record) if flags.FULL_REFRESH else false
  )) }}
{%- endmacro -%}

{#
  Repairs what a killed run left half done: {record, names}, as above. The decisions are the truth: x__batches and the
  view are brought up to them, then leftovers of decided batches are dropped. Tables of the next batch are left alone,
  since another run may be writing them.
#}
{%- macro _repair(job) -%}
  {%- set found = namespace(names=deltawave._names_of_model(job)) -%}
  {%- set view = deltawave._read_view(job, found.names) -%}
  {%- do deltawave._update(job, view_exists=view is not none) -%}
  {%- if view and view.batch_id not in deltawave._commit_numbers(job, found.names) + [0] -%}
    {#- Another run has published a batch since: without its decision, this run would set the view back. -#}
    {%- set found.names = deltawave._names_of_model(job) -%}
  {%- endif -%}
  {%- set names = found.names -%}
  {%- set commits = deltawave._commit_numbers(job, names) -%}
  {%- set record = deltawave._read_commit(job, commits | max) if commits else none -%}

  {%- do deltawave._check_state(job, names, record, view) -%}
  {%- if record and record.get('quarantine') -%}
    {%- do deltawave._update(job, quarantine=record.quarantine) -%}
  {%- endif -%}
  {%- if record -%}
    {%- set tables = [job.batches] + ([deltawave._helper_relation(job, record.log)] if record.log else []) -%}
    {%- for table in tables if table.identifier | lower in names | map('lower') | list -%}
      {%- do deltawave._refresh(job, record.file_format, [table]) -%}
    {%- endfor -%}
  {%- endif -%}
  {%- if record and record.batches_columns != deltawave._batches_columns().keys() | list -%}
    {#- An older version wrote the record, and has created the table. -#}
    {%- do deltawave._create_batches(job) -%}
    {%- do deltawave._update(record, history=none) -%}
  {%- endif -%}
  {%- if record and (view is none or view.batch_id != record.batch_id or view.attempt != record.attempt) -%}
    {%- do deltawave._finish(job, record) -%}
  {%- endif -%}
  {%- if record -%}
    {%- do deltawave._clear_leftovers(job, names, commits, record) -%}
  {%- endif -%}
  {{ return({'record': record, 'names': names}) }}
{%- endmacro -%}

{# The steps place, record and publish for a batch whose writer was stopped after its decision. #}
{%- macro _finish(job, record) -%}
  {%- do log('deltawave: ' ~ job.name ~ ': finishing batch ' ~ record.batch_id ~ ', which an earlier run decided but did not publish', info=true) -%}
  {%- do deltawave._create_batches(job) -%}
  {%- do deltawave._place_and_record(job, record) -%}
  {%- do deltawave._refuse_overtaken(job, record, deltawave._last_commit(job)) -%}
  {%- do deltawave._refuse_overtaken(job, record, deltawave._publish(job, record).batch_id) -%}
  {%- do deltawave._update(job, has_finished=true) -%}
{%- endmacro -%}

{# The steps `place` and `record`, for a batch that another run has decided. Repeating them changes nothing. #}
{%- macro _place_and_record(job, record) -%}
  {%- do deltawave._place(job, record) -%}
  {%- if not deltawave._is_decided(job, record.batch_id, record.attempt) -%}
    {%- do deltawave._record_batch(job, record) -%}
  {%- endif -%}
{%- endmacro -%}

{%- macro _clear_leftovers(job, names, commits, record) -%}
  {%- for number in commits if number < record.batch_id -%}
    {%- do deltawave._run(job, 'drop view if exists ' ~ deltawave._commit_relation(job, number)) -%}
  {%- endfor -%}
  {%- for side in deltawave._attempts_helpers(job, names, deltawave._attempt_kinds()) -%}
    {%- if side.batch_id > record.batch_id or deltawave._is_needed(record, side) -%}
      {#- A table of a future batch, or a table that is still needed. -#}
    {%- elif deltawave._is_decided(job, side.batch_id, side.attempt) -%}
      {%- do deltawave._drop_table(job, deltawave._attempt_relation(job, side)) -%}
    {%- else -%}
      {%- do deltawave._discard(job, [record.log] if record.log else [], side.batch_id, side.attempt) -%}
    {%- endif -%}
  {%- endfor -%}
  {#- A decided log that was rewritten stays until purge: somebody may be reading it. -#}
  {%- for table in deltawave._attempts_helpers(job, names, ['log', 'quarantine']) if table.batch_id <= record.batch_id -%}
    {%- set name = table.kind ~ '_' ~ table.batch_id ~ '_' ~ table.attempt -%}
    {%- if name not in deltawave._rewritten_tables(record)
        and not deltawave._is_decided(job, table.batch_id, table.attempt) -%}
      {%- do deltawave._drop_table(job, deltawave._attempt_relation(job, table)) -%}
    {%- endif -%}
  {%- endfor -%}
{%- endmacro -%}

{# A record's tables of the kinds that an operation writes anew, by their names after x__. #}
{%- macro _rewritten_tables(record) -%}
  {{ return([record.log, record.get('quarantine') or 'quarantine']) }}
{%- endmacro -%}

{%- macro _is_decided(job, batch_id, attempt) -%}
  {%- set sql -%}
select count(*) as decisions
from {{ job.batches }}
where batch_id = {{ batch_id }} and attempt = {{ deltawave._literal(attempt) }}
  {%- endset -%}
  {{ return(deltawave._run(job, sql).rows[0][0] | int > 0) }}
{%- endmacro -%}

{#
  The published batch, from the model's view: {batch_id, attempt}; batch 0 for a view made by --empty; none if its name
  is not among the relations'. Anything that is not our view belongs to another program and is never touched.
#}
{%- macro _read_view(job, names) -%}
  {%- if job.target.identifier | lower not in names | map('lower') | list -%}
    {{ return(none) }}
  {%- endif -%}
  {%- set facts = deltawave._facts_of(job, job.target) -%}
  {%- set mark = deltawave._mark_in(facts.get('View Text') or '') -%}
  {%- if not mark -%}
    {%- do deltawave._fail('foreign_relation', {
      'model': job.name, 'relation': job.target | string, 'type': facts.get('Type', 'relation') | lower,
    }) -%}
  {%- endif -%}
  {{ return(mark) }}
{%- endmacro -%}

{# The mark in the text of a view; empty if the view is not ours. #}
{%- macro _mark_in(text) -%}
  {%- set mark = modules.re.search(modules.re.escape(deltawave._view_mark()) ~ ' (\\{.*?\\}) \\*/', text) -%}
  {{ return(fromjson(mark.group(1)) if mark else {}) }}
{%- endmacro -%}

{# The start of every view of ours: recover replaces no other view. #}
{%- macro _view_mark() -%}{{ return('/* deltawave') }}{%- endmacro -%}

{#
  --full-refresh starts a new generation only if the model allows it: the dumps that made the log may be deleted.
  Without full_refresh in its config, a run that selects the model by its name is refused; any other continues the log
  and warns, so that what reads the log is rebuilt. A table that follows a log is built from that log (see
  _reason_to_build).
#}
{%- macro _starts_generation(job, record) -%}
  {%- if record is none or job.settings.full_refresh is false or job.follows -%}
    {{ return(false) }}
  {%- elif job.settings.full_refresh -%}
    {{ return(true) }}
  {%- elif deltawave._is_selected_by_name(job) -%}
    {%- do deltawave._fail('full_refresh', {'model': job.name, 'batch': record.batch_id}) -%}
  {%- endif -%}
  {%- do exceptions.warn(deltawave._message('not_refreshed', {'model': job.name, 'batch': record.batch_id})) -%}
  {{ return(false) }}
{%- endmacro -%}

{# Does --select name this model, with or without what lies around it (+x, x+1, @x)? #}
{%- macro _is_selected_by_name(job) -%}
  {%- set selected = invocation_args_dict.get('select') or [] -%}
  {%- set words = (selected if selected is string else selected | join(' ')).replace(',', ' ').split() -%}
  {%- set name = modules.re.escape(job.name) -%}
  {%- set named = '((fqn|file):)?([^:/]*\\.)?' ~ name ~ '|((file|path):)?([^:]*/)?' ~ name ~ '\\.sql' -%}
  {%- for word in words if deltawave._whole_match('(@|\\d*\\+)?(' ~ named ~ ')(\\+\\d*)?', word) -%}
    {{ return(true) }}
  {%- endfor -%}
  {{ return(false) }}
{%- endmacro -%}
