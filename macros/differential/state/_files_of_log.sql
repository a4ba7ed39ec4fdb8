{#
  The log from a batch on, for a Python library that reads its files: {stored: the table's rows, of all attempts, decided: the attempts that count}, as
  selects in parentheses. Empty where Spark reads it alone.
#}
{%- macro _files_of_log(job, batch, names, from_batch) -%}
  {%- set many = adapter.dispatch('_many_rows', 'deltawave')() -%}
  {%- if not job.strategy.library or job.settings.file_format != 'parquet' or batch.rows_old < many -%}{{ return({}) }}{%- endif -%}
  {%- set known = 'batch_id between ' ~ from_batch ~ ' and ' ~ (batch.batch_id - 1) -%}
  {%- set cells = deltawave._quoted_list(names) | join(', ') -%}
  {{ return({
    'stored': '(select ' ~ cells ~ ', change_type from ' ~ batch.result.log_table ~ ' where ' ~ known ~ ')',
    'decided': '(select batch_id, attempt from ' ~ job.batches ~ ' where ' ~ known ~ ')',
  }) }}
{%- endmacro -%}

{# From so many rows on it is worth its fixed costs that a library reads the log's files. #}
{%- macro default___many_rows() -%}{{ return(1000000) }}{%- endmacro -%}
