{#
  Undoes the batches after to_batch: readers see the log as it was then, and the next run compares with the state of
  that time. For dumps that came late or a second time: rewind to before them, then run.

    dbt run-operation deltawave.rewind --args '{model: accounts_changes, to_batch: 3}'

  Batch numbers are never reused. Incremental models that have read undone batches have to be rebuilt: they are named,
  with the command. The older log stays until purge.
#}
{%- macro rewind(model, to_batch) -%}
  {{ return(adapter.dispatch('rewind', 'deltawave')(model, to_batch)) }}
{%- endmacro -%}

{%- macro default__rewind(model, to_batch) -%}
  {%- if not execute -%}{{ return(none) }}{%- endif -%}
  {%- do deltawave._undo_batches(deltawave._open_maintenance('rewind', model), to_batch) -%}
  {%- set node = deltawave._model_node('rewind', model) -%}
  {%- do deltawave._warn_of_readers(node.name, node.unique_id, to_batch) -%}
{%- endmacro -%}

{# Commits the operation that undoes the batches after to_batch. #}
{%- macro _undo_batches(work, to_batch) -%}
  {%- set held = deltawave._held_batches(work) -%}
  {%- set until = deltawave._held_batch('rewind', work, held, to_batch) -%}
  {%- set undone = held | map(attribute='batch_id') | select('gt', until.batch_id) | list -%}

  {%- set then = deltawave._columns_at(work.record, until.batch_id) -%}
  {%- set state = deltawave._state_at('rewind', work, until.batch_id, dict(work.record, **then)) -%}
  {%- set copy = deltawave._write_whole_rows(
    work.job, work.batch, state, then.columns | selectattr('in_copy') | list
  ) -%}
  {#- Rows may have been erased since the batch was counted. -#}
  {%- set counted = deltawave._counted(work.job, dict(copy, as_of=work.batch.batch_id)) -%}
  {%- set partitions = deltawave._rewrite_log(
    work.job, work.batch, work.record, work.batch.log_table, work.record.first_batch, until.batch_id
  ) -%}
  {%- do deltawave._commit_maintenance(work, partitions, 'rewound to batch ' ~ until.batch_id ~ ', undoing ' ~ undone | join(', '), dict(then, **{
    'state': counted,
    'ranges': none,
    'progress': {},
    'rows_dump': until.rows_dump,
    'rows_new': counted.rows,
    'batch_at': until.batch_at,
    'snapshot_date': until.snapshot_date,
    'rewound_to': until.batch_id,
  })) -%}
{%- endmacro -%}
