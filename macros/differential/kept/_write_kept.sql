{# Writes the state after batch as_of, in the strategy's form. columns: of the rows; none if the rows are in that form already. #}
{%- macro _write_kept(job, batch, rows, columns, as_of) -%}
  {%- set side = deltawave._own_table(batch, job.strategy.keeps) -%}
  {%- set table = deltawave._attempt_relation(job, side) -%}
  {%- if side.kind == 'base' -%}
    {%- do deltawave._create_base(job, table, rows, columns) -%}
  {%- elif side.kind == 'hashes' -%}
    {%- do deltawave._create_hashes(job, table, deltawave._hashes_of(job, batch, rows) if columns else rows) -%}
  {%- else -%}
    {%- do deltawave._create_checksums(job, table, deltawave._summed_rows(job, batch, rows) if columns else rows) -%}
  {%- endif -%}
  {%- do deltawave._update(batch, kept=dict(side, rows=deltawave._row_count(job, table)), kept_as_of=as_of) -%}
{%- endmacro -%}

{#
  Writes the state of the last batch as the log has it: slices are patched by the log. A copy of a dump also holds changes that were not logged,
  because a column was not compared or differed within its tolerance.
#}
{%- macro _write_last_state(job, batch, last) -%}
  {%- set columns = last.columns | selectattr('in_copy') | list -%}
  {%- set unlogged = columns | rejectattr('is_key') | rejectattr('is_compared') | list + columns | selectattr('tolerance') | list -%}
  {%- set is_in_log = deltawave._is_copy(last.kept) and unlogged and not last.is_baseline -%}
  {%- set known = deltawave._as_logged(last) if is_in_log else last -%}
  {%- do deltawave._write_kept(job, batch, deltawave._kept_rows(job, known, columns), columns, last.batch_id) -%}
{%- endmacro -%}
