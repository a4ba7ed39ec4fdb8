{#
  Undoes the batches after to_batch: readers see the log as it was then, and the next run compares with the state of that time. For dumps that came
  late or a second time: rewind to before them, then run.

    dbt run-operation deltawave.rewind --args '{model: accounts_changes, to_batch: 3}'

  Batch numbers are never reused. Incremental models that have read undone batches have to be rebuilt: they are named, with the command. The older
  log stays until purge.
#}
{%- macro rewind(model, to_batch) -%}
  {{ return(adapter.dispatch('rewind', 'deltawave')(model, to_batch)) }}
{%- endmacro -%}

{%- macro default__rewind(model, to_batch) -%}
  {%- if not execute -%}{{ return(none) }}{%- endif -%}
  {%- set work = deltawave._open_maintenance('rewind', model) -%}
  {%- set held = deltawave._held_batches(work) -%}
  {%- set until = deltawave._held_batch('rewind', work, held, to_batch) -%}
  {%- set undone = held | map(attribute='batch_id') | select('gt', until.batch_id) | list -%}

  {%- set then = deltawave._columns_at(work.record, until.batch_id) -%}
  {%- set state = deltawave._state_at('rewind', work, until.batch_id, dict(work.record, **then)) -%}
  {%- set copy = deltawave._own_table(work.batch, 'copy') -%}
  {%- do deltawave._copy_dump(work.job, copy, state, then.columns | selectattr('in_copy') | list, is_ordered=false) -%}
  {%- do deltawave._rewrite_log(work.job, work.record, work.batch.log_table, work.record.first_batch, until.batch_id) -%}
  {%- do deltawave._commit_maintenance(work, 'rewound to batch ' ~ until.batch_id ~ ', undoing ' ~ undone | join(', '), dict(then, **{
    'state': deltawave._counted(work.job, dict(copy, as_of=work.batch.batch_id)),
    'ranges': none,
    'progress': {},
    'rows_dump': until.rows_dump,
    'rows_new': until.rows_new,
    'batch_at': until.batch_at,
    'snapshot_date': until.snapshot_date,
    'rewound_to': until.batch_id,
  })) -%}
  {%- set readers = deltawave._readers_of_undone(deltawave._model_node('rewind', model).unique_id, until.batch_id) -%}
  {%- if readers -%}
    {%- do exceptions.warn(deltawave._message('readers_of_undone', {'model': work.job.name, 'readers': readers | join(' ')})) -%}
  {%- endif -%}
{%- endmacro -%}
