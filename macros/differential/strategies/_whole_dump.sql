{# A whole dump, to be compared with the whole previous state, and itself the next one. #}
{%- macro default___whole_dump(job, batch, last) -%}
  {%- set rows = deltawave._rows_of_dump(job, batch) -%}
  {%- set in_files = last and deltawave._may_join_in_files(job) and deltawave._joins_in_files(job, batch, last) -%}
  {%- if in_files and deltawave._may_be_idle(job, batch, last) and deltawave._is_as_copied(job, batch, last) -%}
    {{ return(deltawave._reading(incoming=none, is_idle=true)) }}
  {%- endif -%}
  {%- set state = deltawave._write_state(job, batch, rows, job.columns, batch.batch_id) -%}
  {%- set incoming = deltawave._macro_named(deltawave._form_of(state).read)(job, batch, state) -%}
  {%- if in_files -%}
    {%- set pairs = deltawave._pairs_of_copies(job, batch, last.state, state) -%}
    {%- if batch.result.measured.rows is defined -%}
      {#- Spark counts the rows of a dump whose checksum it has to compute. -#}
      {{ return(deltawave._reading(
        incoming=incoming,
        state=state,
        counted=batch.result.measured if batch.checksum_of is none else none,
        changes=deltawave._changes_in_pairs(batch, pairs),
        pairs=pairs,
      )) }}
    {%- endif -%}
  {%- endif -%}
  {{ return(deltawave._reading(
    incoming=incoming, old=deltawave._previous_dump(job, batch, last) if last else none, state=state
  )) }}
{%- endmacro -%}

{#
  Does a Python library that may join copies where their files are (see _may_join_in_files) join this dump with the
  last one? Both have to have the log's columns and types, and no column may be compared for the first time.
#}
{%- macro _joins_in_files(job, batch, last) -%}
  {%- set kept = deltawave._types_of(last.columns | selectattr('in_copy')) -%}
  {{ return(
    deltawave._is_kept_by(job.strategy, last.state) and not deltawave._is_compared_otherwise(job, batch, last)
    and kept == deltawave._types_of(batch.columns) and kept == deltawave._types_of(job.columns)
  ) }}
{%- endmacro -%}

{# Has the select the rows of the last copy, which has lost none? Then nothing is landed. #}
{%- macro _is_as_copied(job, batch, last) -%}
  {%- set relations = {
    'old': deltawave._copied_rows(job, batch, last.state), 'new': '(\n' ~ deltawave._named_rows(job, batch) ~ '\n)',
  } -%}
  {{ return(adapter.call_library('deltawave.differencing.stored_copies.are_same', relations, dict(
    deltawave._join_options(job, batch), rows=last.state.rows
  ))) }}
{%- endmacro -%}

{#
  A view of the rows that differ between two copies, each with the one before; the batch's `measured` has counts if the
  library has joined them.
#}
{%- macro _pairs_of_copies(job, batch, old, new) -%}
  {%- set relations = {
    'old': deltawave._copied_rows(job, batch, old), 'new': deltawave._copied_rows(job, batch, new),
  } -%}
  {%- set columns = [] -%}
  {%- for column in batch.columns -%}
    {%- do columns.append({'name': column.name, 'is_compared': column.is_compared}) -%}
  {%- endfor -%}
  {%- set options = dict(deltawave._join_options(job, batch), columns=columns) -%}
  {{ return(deltawave._view_by_python(
    job, batch, 'deltawave.differencing.stored_copies.differing_pairs', relations, options, 'differing'
  )) }}
{%- endmacro -%}

{%- macro _join_options(job, batch) -%}
  {{ return({
    'unique_key': deltawave._key_as_spelt(job.settings.unique_key, batch.columns),
    'memory_bytes': job.settings.memory_bytes,
  }) }}
{%- endmacro -%}

{%- macro _copied_rows(job, batch, state) -%}
  {{ return(
    '(select ' ~ deltawave._dump_names(batch) | join(', ') ~ ' from ' ~ deltawave._attempt_relation(job, state) ~ ')'
  ) }}
{%- endmacro -%}

{# The rows of a dump as a select: all that the model selects, or those of one date. #}
{%- macro _rows_of_dump(job, batch) -%}
  {%- if not job.settings.snapshot_date -%}{{ return(job.sql) }}{%- endif -%}
  {%- set rows = job.sql -%}
  {%- set date = 'cast(' ~ deltawave._literal(batch.snapshot_date) ~ ' as ' ~ job.snapshot_type ~ ')' -%}
  {%- if job.remote -%}
    {%- set rows = deltawave._source_rows(job, deltawave._equal_at_remote(job, job.settings.snapshot_date, date)) -%}
  {%- endif -%}
  {{ return(
    'select * from (\n' ~ rows ~ '\n)\nwhere ' ~ deltawave._quoted(job.settings.snapshot_date) ~ ' = ' ~ date
  ) }}
{%- endmacro -%}
