{#
  What a run has to do: {method, reason, after, changes, columns, shown, fingerprint}.

    method   build: the table is written from the whole log; rewrite: from the table and the log's new batches; merge:
             the new batches are merged into it; show: only the view changes; nothing
    after    the last of the log's batches that the table has
    changes  how many changes the new batches have: {inserts, deletes, updates, backfilled}
#}
{%- macro _pending_work(job, followed, selected, last) -%}
  {%- do deltawave._require_names_of_log(job, followed, selected) -%}
  {%- set fingerprint = deltawave._follower_fingerprint(job) -%}
  {%- set since = deltawave._log_since(job, followed, last) if last else none -%}
  {%- set reason = deltawave._reason_to_build(job, followed, last, since, fingerprint) -%}
  {%- set columns = deltawave._next_columns(selected, none if reason else last) -%}
  {%- set shown = {
    'columns': selected | map(attribute='name') | list,
    'meta': job.settings.snapshot_meta_column_names or none,
    'valid_to': job.settings.dbt_valid_to_current or none,
  } -%}
  {%- set work = {'reason': reason, 'columns': columns, 'shown': shown, 'fingerprint': fingerprint} -%}
  {%- if reason -%}
    {%- do deltawave._require_whole_log(job, followed, last, since, reason) -%}
    {{ return(dict(work, method='build', after=0, changes={
      'inserts': followed.rows_new, 'deletes': 0, 'updates': 0, 'backfilled': 0,
    })) }}
  {%- endif -%}
  {%- set is_same_table = columns | selectattr('is_changed') | list == [] -%}
  {%- if since.changes.values() | sum == 0 and is_same_table -%}
    {%- set method = 'nothing' if shown == last.shown else 'show' -%}
  {%- else -%}
    {#- Rows of a bag are counted, and wider columns are rewritten; both need the whole table. -#}
    {%- set is_widened = columns | rejectattr('was', 'none') | selectattr('is_changed') | list != [] -%}
    {%- set is_merged = deltawave._is_merged(last.file_format) and last.file_format == job.settings.file_format -%}
    {%- set method = 'merge' if is_merged and not is_widened and not job.settings.is_multiset else 'rewrite' -%}
  {%- endif -%}
  {{ return(dict(
    work, method=method, reason='batches after ' ~ last.followed.batch_id, after=since.after, changes=since.changes
  )) }}
{%- endmacro -%}

{# What determines the rows of the table, besides the log's batches. #}
{%- macro _follower_fingerprint(job) -%}
  {%- set settings = job.settings -%}
  {{ return(local_md5(tojson([
    job.sql, settings.kind, settings.unique_key | map('lower') | list, settings.track_columns or none,
    settings.hard_deletes or none,
  ]))) }}
{%- endmacro -%}

{# Why the table is written from the whole log; none if it continues. #}
{%- macro _reason_to_build(job, followed, last, since, fingerprint) -%}
  {%- if not last -%}
    {{ return('first run') }}
  {%- elif flags.FULL_REFRESH and job.settings.full_refresh is not false -%}
    {{ return('--full-refresh was given') }}
  {%- elif fingerprint != last.fingerprint -%}
    {{ return('the select, the key or an option was edited') }}
  {%- elif not since.is_standing or followed.generation != last.followed.generation -%}
    {{ return('batches up to ' ~ last.followed.batch_id ~ ', which it had read, were undone or replaced') }}
  {%- elif since.expired -%}
    {{ return('batches after ' ~ last.followed.batch_id ~ ', which it had not read, have expired') }}
  {%- endif -%}
  {{ return(none) }}
{%- endmacro -%}

{#
  Stops a rebuild of scd2 by which versions would be lost: the log no longer has them. With full_refresh: true,
  --full-refresh may lose them.
#}
{%- macro _require_whole_log(job, followed, last, since, reason) -%}
  {%- if last and job.settings.kind == 'scd2' and not (flags.FULL_REFRESH and job.settings.full_refresh) -%}
    {%- set is_known = since.is_known and followed.generation == last.followed.generation -%}
    {%- if not is_known or followed.first_batch != last.followed.first_batch -%}
      {%- do deltawave._fail('versions_lost', {
        'model': job.name, 'log': followed.name, 'reason': reason, 'first': followed.first_batch,
      }) -%}
    {%- endif -%}
  {%- endif -%}
{%- endmacro -%}

{#
  The log relative to the last of its batches that the table has: whether that batch was ever decided (is_known) and no
  rewind has undone it (is_standing), whether batches after it have expired, how many changes are new, and after which
  batch they begin. A batch is recognized by its number and its attempt: a log that was dropped and built again counts
  from 1.
#}
{%- macro _log_since(job, followed, last) -%}
  {%- set last_read = last.followed.batch_id -%}
  {%- if (followed.batch_id, followed.attempt) == (last_read, last.followed.attempt) -%}
    {#- The published batch stands, and there is none after it. -#}
    {{ return({
      'is_known': true, 'is_standing': true, 'expired': 0, 'after': last_read,
      'changes': {'inserts': 0, 'deletes': 0, 'updates': 0, 'backfilled': 0},
    }) }}
  {%- endif -%}
  {%- set batches = deltawave._batches_so_far(followed.job, followed) -%}
  {#-
    If the batches that have expired after the last one read had no changes, the log's first batch is the state that
    the table has. Batches after `after` are unread.
  -#}
  {%- set after = [last_read, followed.first_batch] | max -%}
  {%- set is_last_read = 'batch_id = ' ~ last_read ~ ' and attempt = ' ~ deltawave._literal(last.followed.attempt) -%}
  {%- set sql -%}
select
    (select count(*) from {{ batches }} where {{ is_last_read }}) as is_known,
    count_if({{ is_last_read }}) as is_standing,
    count_if(batch_id > {{ last_read }} and batch_id <= {{ followed.first_batch }} and inserts + deletes + updates + backfilled > 0) as expired,
    {%- for kind in ['inserts', 'deletes', 'updates', 'backfilled'] %}
    coalesce(sum(if(batch_id > {{ after }}, {{ kind }}, 0)), 0) as {{ kind }}{{ ',' if not loop.last }}
    {%- endfor %}
from {{ deltawave._standing_batches(batches, until=followed.batch_id) }}
where batch_id <= {{ followed.batch_id }}
  {%- endset -%}
  {%- set row = deltawave._run(job, sql).rows[0] -%}
  {{ return({
    'is_known': row[0] | int > 0, 'is_standing': row[1] | int > 0, 'expired': row[2] | int, 'after': after,
    'changes': {'inserts': row[3] | int, 'deletes': row[4] | int, 'updates': row[5] | int, 'backfilled': row[6] | int},
  }) }}
{%- endmacro -%}

{#
  The columns of the table: [{name, data_type, is_shown, was, is_changed}]. was: the type in the table as it is, none
  for a new column. A column that the log hides stays in the table, and is null in rows that have changed since, as in
  the log.
#}
{%- macro _next_columns(selected, last) -%}
  {%- set types = deltawave._types_of(selected) -%}
  {%- set stored = deltawave._types_of(last.columns if last else []) -%}
  {%- set columns = [] -%}
  {%- for column in (last.columns if last else []) -%}
    {%- set data_type = types.get(column.name | lower, column.data_type) -%}
    {%- do columns.append({
      'name': column.name, 'data_type': data_type, 'is_shown': column.name | lower in types, 'was': column.data_type,
      'is_changed': data_type != column.data_type,
    }) -%}
  {%- endfor -%}
  {%- for column in selected if column.name | lower not in stored -%}
    {%- do columns.append({
      'name': column.name, 'data_type': column.data_type, 'is_shown': true, 'was': none, 'is_changed': true,
    }) -%}
  {%- endfor -%}
  {{ return(columns) }}
{%- endmacro -%}

{# Do tables of that format take merges? #}
{%- macro _is_merged(file_format) -%}{{ return(file_format != 'parquet') }}{%- endmacro -%}
