{#
  Brings a table that follows a change log up to date, as one batch of its own, decided as those of a differential
  (decision 2):

    stage    a whole table is written, or the changes to merge, where no reader looks
    decide   one view is created, exclusively: from here on the table has the log's batches up to that one
    place    on Delta and Iceberg the staged changes are merged
    publish  the model's view is replaced in one change
    clean    tables that the run before replaced are dropped

  The record of the decision names the last of the log's batches that the table has. If a run is killed anywhere, the
  next one starts with recover and continues. Returns the record; none without a batch.
#}
{%- macro _follow(job) -%}
  {%- set last = deltawave._recover(job).record -%}
  {#- With --empty only columns are read, which may be those of another environment's log. -#}
  {%- set followed = none if flags.EMPTY else deltawave._followed_log(job) -%}
  {%- set selected = deltawave._selected_columns(job) -%}
  {%- if not followed or not (followed.batch_id or last) -%}
    {%- do deltawave._create_without_batches(job, selected) -%}
    {{ return(last) }}
  {%- elif not followed.batch_id -%}
    {%- do deltawave._fail('log_not_built', {'model': job.name, 'log': followed.name}) -%}
  {%- endif -%}

  {%- set work = deltawave._pending_work(job, followed, selected, last) -%}
  {%- if work.method == 'nothing' -%}{{ return(last) }}{%- endif -%}
  {%- if last and work.method == 'build' -%}
    {%- do log('deltawave: ' ~ job.name ~ ': rebuilt from ' ~ followed.name ~ ': ' ~ work.reason, info=true) -%}
  {%- endif -%}
  {%- set batch = deltawave._attempt(job, last, followed.name ~ ' ' ~ followed.batch_id) -%}
  {%- do deltawave._require_valid_to(job, batch, work) -%}
  {%- do deltawave._step(job, batch, 'stage') -%}
  {%- set staged = deltawave._stage_work(job, batch, work, followed, last) -%}
  {%- do deltawave._require_same_log(job, batch, followed) -%}
  {%- set record = deltawave._follower_record(job, batch, work, staged, followed, last) -%}
  {%- if config.get('contract').enforced -%}
    {#- It describes the view's columns, which readers see. -#}
    {%- do deltawave._require_contract(
      job, batch, deltawave._columns_of_query(deltawave._select_of_view(job, record))
    ) -%}
  {%- endif -%}
  {%- if not last -%}{%- do deltawave._create_batches(job) -%}{%- endif -%}
  {%- do deltawave._commit(job, batch, record, last) -%}
  {%- do deltawave._report_batch(job, batch, record) -%}
  {{ return(record) }}
{%- endmacro -%}

{#
  The record of a decision: to what each decision has, it adds what the next run and the view need to know.

    rows         the table
    file_format  its format; another one in the options counts when it is written again
    patch        the changes that `place` merges into it; none if the table was written whole
    columns      its columns, of which `shown` are those of the select
    followed     the last of the log's batches that it has, and the log's first batch when it was built
#}
{%- macro _follower_record(job, batch, work, staged, followed, last) -%}
  {#- A query on the table before may still run. -#}
  {%- set previous = [last.rows] if last and last.rows != staged.rows else [] -%}
  {%- set decision = deltawave._decision(job, batch, dict({
    'tables': [staged.rows] + previous + ([staged.patch] if staged.patch else []),
    'file_format': last.file_format if last and last.rows == staged.rows else job.settings.file_format,
    'batch_at': followed.batch_at, 'snapshot_date': followed.snapshot_date, 'strategy': staged.method,
    'reason': work.reason, 'rows_old': last.rows_new if last else 0,
    'rows_dump': work.changes.values() | sum, 'rows_new': followed.rows_new,
  }, **work.changes)) -%}
  {{ return(dict(decision, **{
    'rows': staged.rows, 'patch': staged.patch, 'unique_key': job.settings.unique_key,
    'columns': deltawave._stored_columns(work.columns), 'shown': work.shown, 'fingerprint': work.fingerprint,
    'followed': {
      'batch_id': followed.batch_id,
      'attempt': followed.attempt,
      'generation': followed.generation,
      'first_batch': followed.first_batch if work.method == 'build' else last.followed.first_batch,
    },
  })) }}
{%- endmacro -%}

{# As they are recorded: [{name, data_type}]. #}
{%- macro _stored_columns(columns) -%}
  {%- set stored = [] -%}
  {%- for column in columns -%}
    {%- do stored.append({'name': column.name, 'data_type': column.data_type}) -%}
  {%- endfor -%}
  {{ return(stored) }}
{%- endmacro -%}

{# What both materializations do. #}
{%- macro _materialize_follower(node, relation, sql, pre_hooks, post_hooks) -%}
  {%- set job = deltawave._open_follower(node, relation, sql) -%}

  {{ run_hooks(pre_hooks) }}

  {%- set record = deltawave._follow(job) -%}
  {%- if not flags.EMPTY -%}
    {%- set record = deltawave._retain_versions(job, record) -%}
  {%- endif -%}
  {#- persist_docs: a comment stands on the stored column, which the view shows under another name. -#}
  {%- set stored_as = {} -%}
  {%- for meta, name in (job.settings.snapshot_meta_column_names or {}).items() -%}
    {%- do stored_as.update({name: deltawave._meta_columns()[meta]}) -%}
  {%- endfor -%}
  {%- set table = deltawave._attempt_relation(job, record.rows) if record else none -%}
  {%- do deltawave._describe_view(job, record, table, stored_as) -%}
  {%- call noop_statement('main', deltawave._outcome(job), res=none) -%}
    {{ job.statements | join(';\n\n') }}
  {%- endcall -%}

  {{ run_hooks(post_hooks) }}
  {%- do apply_grants(job.target, config.get('grants'), should_revoke=false) -%}

  {{ return({'relations': [job.target]}) }}
{%- endmacro -%}
