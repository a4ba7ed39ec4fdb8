{#
  One attempt at a batch: what the commit protocol needs to know of it. It never changes. `staged_in`: the tables, by
  their names after x__, in which it stages rows next to those of other batches. `about`: what the label adds to the
  number.
#}
{%- macro _attempt(job, last, about) -%}
  {%- set batch_id = (last.batch_id if last else 0) + 1 -%}
  {{ return({
    'batch_id': batch_id,
    'attempt': job.attempt,
    'label': batch_id ~ (' (' ~ about ~ ')' if about else ''),
    'staged_in': [],
    'started_at': modules.datetime.datetime.now(modules.pytz.utc),
  }) }}
{%- endmacro -%}

{#
  The record of a decision: what the commit protocol and x__batches need, whatever was decided. All of its keys are
  named here, and `facts` gives their values. To these a materialization adds its own: _commit_record for a
  differential, _step_record for a wave index. The format has a version; an unknown one is refused.

    log         the table of the log, by its name after x__; none for a wave index. quarantine: that of quarantined rows
    partitions  those of the log that count, see _merge_partitions; merge: see _next_merge; history: see _batches_so_far
    staged_in   the tables, likewise, in which the batch has staged rows
    tables      the tables of attempts that the next batch, or a reader, needs: [{kind, batch_id, attempt}]
#}
{%- macro _decision(job, batch, facts) -%}
  {%- set now = modules.datetime.datetime.now(modules.pytz.utc) -%}
  {%- set decision = {
    'version': deltawave._state_version(),
    'materialization': job.materialization,
    'target': {'schema': job.target.schema, 'identifier': job.target.identifier},
    'batch_id': batch.batch_id,
    'attempt': batch.attempt,
    'seconds': (now - batch.started_at).total_seconds() | round(3),
    'decided_at': deltawave._utc(now),
    'file_format': job.settings.file_format,
    'batches_columns': deltawave._batches_columns().keys() | list,

    'log': none,
    'quarantine': job.quarantine,
    'partitions': [],
    'merge': none,
    'history': none,
    'staged_in': [],
    'tables': [],

    'batch_at': none,
    'snapshot_date': none,
    'dump_files': none,
    'dump_checksum': none,
    'strategy': none,
    'reason': none,
    'checksums': 0,
    'rows_old': 0,
    'rows_dump': 0,
    'rows_new': 0,
    'bytes_dump': none,
    'bytes_full': none,
    'quarantined': 0,
    'inserts': 0,
    'deletes': 0,
    'updates': 0,
    'backfilled': 0,
    'rewound_to': none,
  } -%}
  {%- do deltawave._update(decision, **facts) -%}
  {{ return(decision) }}
{%- endmacro -%}

{%- macro _state_version() -%}{{ return(6) }}{%- endmacro -%}

{# Refuses a record that another version of deltawave wrote. name: of its model. #}
{%- macro _check_version(name, record) -%}
  {%- if record.version != deltawave._state_version() -%}
    {%- do deltawave._fail('state_version', {
      'model': name, 'version': record.version, 'known': deltawave._state_version(),
    }) -%}
  {%- endif -%}
{%- endmacro -%}

{#
  The columns of earlier batches, for rewind: [{to_batch, columns, hidden}], oldest first. Each entry is valid up to
  its to_batch, from the end of the entry before.
#}
{%- macro _previous_columns(last, columns, hidden) -%}
  {%- set previous = last.previous_columns or [] -%}
  {#- Rewind needs their order, and which of them the state has. -#}
  {%- set has_same_names = last.columns | map(attribute='name') | list == columns | map(attribute='name') | list -%}
  {%- set has_same_state = last.columns | map(attribute='in_copy') | list == columns | map(attribute='in_copy') | list -%}
  {%- if has_same_names and has_same_state and last.hidden == hidden -%}
    {{ return(previous) }}
  {%- endif -%}
  {{ return(previous + [{'to_batch': last.batch_id, 'columns': last.columns, 'hidden': last.hidden}]) }}
{%- endmacro -%}

{#
  The columns as they were after an earlier batch: {columns, hidden, previous_columns}. Types are the current ones,
  since the log's columns have grown. Columns that came later are hidden: the log has them.
#}
{%- macro _columns_at(record, batch_id) -%}
  {%- set later = (record.previous_columns or []) | selectattr('to_batch', 'ge', batch_id) | list -%}
  {%- set then = later[0] if later else record -%}
  {%- set types = {} -%}
  {%- for entry in later + [record] -%}{%- do types.update(deltawave._types_of(entry.columns)) -%}{%- endfor -%}
  {%- set columns = [] -%}
  {%- for column in then.columns -%}
    {%- do columns.append(dict(
      column, data_type=types[column.name | lower], in_copy=column.in_copy and column.since <= batch_id
    )) -%}
  {%- endfor -%}
  {%- set shown = columns | map(attribute='name') | map('lower') | list -%}
  {{ return({
    'columns': columns,
    'hidden': (types.keys() | list + record.hidden) | reject('in', shown) | unique | sort,
    'previous_columns': (record.previous_columns or []) | selectattr('to_batch', 'lt', batch_id) | list,
  }) }}
{%- endmacro -%}
