{#
  Writes a state after batch as_of, in the form that the strategy keeps: {kind, batch_id, attempt, as_of}, and facts that the form needs. rows: a
  select, in the form itself if is_formed. columns: of whole rows.
#}
{%- macro _write_state(job, batch, rows, columns, as_of, is_formed=false) -%}
  {%- set table = deltawave._own_table(batch, job.strategy.keeps) -%}
  {%- set form = deltawave._form_of(table) -%}
  {%- if form.of_rows and not is_formed -%}{%- set rows = deltawave._macro_named(form.of_rows)(job, batch, rows) -%}{%- endif -%}
  {{ return(dict(table, as_of=as_of, **deltawave._macro_named(form.write)(job, batch, table, rows, columns))) }}
{%- endmacro -%}

{# The state with the number of its rows, which the next batch checks. #}
{%- macro _counted(job, state) -%}
  {{ return(dict(state, rows=deltawave._row_count(job, deltawave._attempt_relation(job, state)))) }}
{%- endmacro -%}

{#
  Writes the state of the last batch as the log has it. A copy of a dump also has changes that were not logged, because a column was not compared or
  differed within its tolerance.
#}
{%- macro _write_last_state(job, batch, last) -%}
  {%- set columns = last.columns | selectattr('in_copy') | list -%}
  {%- set unlogged = columns | rejectattr('is_key') | rejectattr('is_compared') | list + columns | selectattr('tolerance') | list -%}
  {%- set is_in_log = deltawave._form_of(last.state).is_dump and unlogged and not last.is_baseline -%}
  {%- set rows = deltawave._previous_rows(job, deltawave._as_logged(last) if is_in_log else last, columns) -%}
  {{ return(deltawave._counted(job, deltawave._write_state(job, batch, rows, columns, last.batch_id))) }}
{%- endmacro -%}

{# The tables that the next batch needs. #}
{%- macro _tables_of(state, ranges, history=none) -%}
  {%- set tables = [] -%}
  {%- for table in [state, ranges] + (history.tables if history else []) if table and table.attempt -%}
    {%- do tables.append({'kind': table.kind, 'batch_id': table.batch_id, 'attempt': table.attempt}) -%}
  {%- endfor -%}
  {{ return(tables) }}
{%- endmacro -%}

{# The state that consists of nothing but the log. #}
{%- macro _log_alone() -%}{{ return({'kind': 'log'}) }}{%- endmacro -%}

{%- macro _as_logged(record) -%}{{ return(dict(record, state=deltawave._log_alone())) }}{%- endmacro -%}
