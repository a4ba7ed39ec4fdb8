{# Writes the state after batch as_of, in the strategy's form. columns: those of the rows; none if the rows are checksums already. #}
{%- macro _write_kept(job, batch, rows, columns, as_of) -%}
  {%- set side = deltawave._own_table(batch, job.strategy.keeps) -%}
  {%- set table = deltawave._attempt_relation(job, side) -%}
  {%- if side.kind == 'base' -%}
    {%- do deltawave._create_base(job, table, rows, columns) -%}
  {%- else -%}
    {%- do deltawave._create_checksums(job, table, deltawave._summed_rows(job, batch, rows) if columns else rows) -%}
  {%- endif -%}
  {%- do deltawave._update(batch, kept=dict(side, rows=deltawave._row_count(job, table)), kept_as_of=as_of) -%}
{%- endmacro -%}

{%- macro _write_last_state(job, batch, last) -%}
  {%- set columns = last.columns | selectattr('in_copy') | list -%}
  {%- do deltawave._write_kept(job, batch, deltawave._kept_rows(job, last, columns), columns, last.batch_id) -%}
{%- endmacro -%}
