{# A whole dump, to be compared with the whole previous state, and itself the next one. #}
{%- macro default___whole_dump(job, batch, last) -%}
  {%- set rows = deltawave._rows_of_dump(job, batch) -%}
  {#- In place, the previous files are checked before those of this dump are listed. -#}
  {%- set previous = deltawave._previous_dump(job, batch, last) if last else {'rows': none, 'is_logged': false, 'files': []} -%}
  {%- set state = deltawave._write_state(job, batch, rows, job.columns, batch.batch_id) -%}
  {%- set form = deltawave._form_of(state) -%}
  {%- set before = previous.files | first -%}
  {#- The same files, compared in the same way, hold nothing new; a date is recorded nevertheless, and a column that joins the log is logged. -#}
  {%- set is_same = before and (before.digest, before.columns) == (state.digest, state.columns) -%}
  {{ return(deltawave._reading(
    incoming=deltawave._macro_named(form.read)(job, batch, state),
    old=previous.rows,
    old_is_logged=previous.is_logged,
    state=state,
    files=previous.files + ([state] if form.in_place else []),
    is_idle=is_same and not batch.snapshot_date and not batch.columns | rejectattr('in_old') | list,
  )) }}
{%- endmacro -%}

{# The rows of a dump as a select: all that the model selects, or those of one date. #}
{%- macro _rows_of_dump(job, batch) -%}
  {%- if not job.settings.snapshot_date -%}{{ return(job.sql) }}{%- endif -%}
  {%- set rows = job.sql -%}
  {%- set date = 'cast(' ~ deltawave._literal(batch.snapshot_date) ~ ' as ' ~ job.snapshot_type ~ ')' -%}
  {%- if job.remote -%}
    {%- set rows = deltawave._source_rows(job, deltawave._equal_at_remote(job, job.settings.snapshot_date, date)) -%}
  {%- endif -%}
  {{ return('select * from (\n' ~ rows ~ '\n)\nwhere ' ~ deltawave._quoted(job.settings.snapshot_date) ~ ' = ' ~ date) }}
{%- endmacro -%}
