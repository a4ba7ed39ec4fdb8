{#
  The state from which a run compares its dumps if redelivery: replace compares dates again (see _pending_dumps). Their
  batches and all later ones are undone, by a rewind that is decided like any other, or by the first batch of a new
  generation. Warns of readers before: if warnings are errors, nothing is undone.
#}
{%- macro _undo_replaced(job, state, pending) -%}
  {#- A delivery that is not complete yet undoes nothing. -#}
  {%- for dump in pending.dumps if dump.snapshot_date in pending.replaced -%}
    {%- do deltawave._check_checksum_files(job, state, dump) -%}
    {%- do deltawave._check_redelivered_columns(job, state.record, pending.rewind_to, dump) -%}
  {%- endfor -%}
  {%- if not pending.rewind_to -%}
    {%- do deltawave._check_later_columns(job, state.record, pending.dumps) -%}
  {%- endif -%}
  {%- set dates = deltawave._some_dumps(job, pending.replaced) -%}
  {%- set way = 'rewinds to batch ' ~ pending.rewind_to if pending.rewind_to else 'begins a new generation' -%}
  {%- do log(
    'deltawave: ' ~ job.name ~ ': dump(s) of ' ~ dates ~ ' were delivered again with other rows: the run ' ~ way,
    info=true
  ) -%}
  {%- do deltawave._warn_of_readers(job.name, model.unique_id, pending.rewind_to or 0) -%}
  {%- if not pending.rewind_to -%}
    {{ return(dict(state, is_new_generation=true)) }}
  {%- endif -%}
  {%- do deltawave._undo_batches(deltawave._operation(job, state.record, 'rewind'), pending.rewind_to) -%}
  {#- A dump that is refused after it has changed nothing, but the run has. -#}
  {%- do job.outcome.update(batches=1) -%}
  {#-
    Another run that has continued the rewound log compares these dates itself. What --full-refresh does was decided
    when this run began.
  -#}
  {%- set rewound = deltawave._repair(job) -%}
  {%- do deltawave._refuse_overtaken(job, {'batch_id': state.record.batch_id + 1}, rewound.record.batch_id) -%}
  {{ return(dict(state, **rewound)) }}
{%- endmacro -%}

{# Refuses a delivery whose columns its batch would refuse once its date is undone. #}
{%- macro _check_redelivered_columns(job, record, rewind_to, dump) -%}
  {%- set columns = deltawave._columns_at(record, rewind_to).columns if rewind_to else record.columns -%}
  {%- set logged = columns | map(attribute='name') | map('lower') | list -%}
  {%- set delivered = deltawave._columns_of_dump(job, dump) | map(attribute='name') | map('lower') | list -%}
  {#- A new generation begins with the columns of the select. -#}
  {%- set added = delivered | reject('in', logged) | list if rewind_to else [] -%}
  {%- set dropped = logged | reject('in', delivered) | list if rewind_to
      else logged | select('in', dump.missing) | list -%}
  {%- do deltawave._check_schema_change(job, job.name ~ ', dump of ' ~ dump.snapshot_date, added, dropped) -%}
{%- endmacro -%}

{#
  Refuses a new generation whose first columns are not those of a later date that would be undone, and then be refused.
#}
{%- macro _check_later_columns(job, record, dumps) -%}
  {%- set last = deltawave._order_of_dump(job, record) -%}
  {%- set first = deltawave._columns_of_dump(job, dumps[0]) | map(attribute='name') | list -%}
  {%- for dump in dumps[1:] if dump.order <= last -%}
    {%- set delivered = deltawave._columns_of_dump(job, dump) | map(attribute='name') | list -%}
    {%- set label = job.name ~ ', dump of ' ~ dump.snapshot_date ~ ' after that of ' ~ dumps[0].snapshot_date -%}
    {%- do deltawave._check_schema_change(
      job, label, delivered | reject('in', first) | list, first | reject('in', delivered) | list
    ) -%}
  {%- endfor -%}
{%- endmacro -%}
