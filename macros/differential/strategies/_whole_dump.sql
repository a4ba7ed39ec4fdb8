{# A whole dump, to be compared with the whole kept side. #}
{%- macro default___whole_dump(job, batch, last) -%}
  {%- set select, condition = job.sql, '' -%}
  {%- if job.settings.snapshot_date -%}
    {%- set date = 'cast(' ~ deltawave._literal(batch.snapshot_date) ~ ' as ' ~ job.snapshot_type ~ ')' -%}
    {%- set condition = deltawave._quoted(job.settings.snapshot_date) ~ ' = ' ~ date -%}
    {%- if job.remote -%}
      {%- set select = deltawave._source_rows(job, deltawave._equal_at_remote(job, job.settings.snapshot_date, date)) -%}
    {%- endif -%}
  {%- endif -%}
  {%- if job.strategy.keeps == 'files' -%}
    {{ return(deltawave._dump_in_place(job, batch, last, condition)) }}
  {%- endif -%}
  {%- do deltawave._create_copy(job, batch, select, job.columns, condition, is_ordered=job.strategy.keeps == 'ordered') -%}
  {{ return(deltawave._reading(arrived=batch.landed, old=deltawave._kept_copy(job, batch, last) if last else none)) }}
{%- endmacro -%}

{# The same in place: the dump's files are listed, and none of their rows is written. The former files are checked before that. #}
{%- macro _dump_in_place(job, batch, last, condition) -%}
  {%- set old = deltawave._kept_copy(job, batch, last) if last else none -%}
  {%- do deltawave._list_files(job, batch, condition) -%}
  {#- The same files, compared in the same way, hold nothing new; a date is recorded nevertheless, and a column that joins the log is logged. -#}
  {%- set is_same = batch.files and (batch.files[0].digest, batch.files[0].columns) == (batch.kept.digest, batch.kept.columns) -%}
  {%- set is_idle = is_same and not batch.snapshot_date and not batch.columns | rejectattr('in_old') | list -%}
  {{ return(deltawave._reading(arrived=deltawave._rows_of_files(job, batch, batch.kept), old=old, is_idle=is_idle)) }}
{%- endmacro -%}
