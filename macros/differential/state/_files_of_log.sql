{#
  The log from a batch on, for a Python library that reads its files: {stored: the table's rows, of all attempts, as a select in parentheses, partitions: number and
  attempt of those that count, from_batch}. None where Spark reads it alone.
#}
{%- macro _files_of_log(job, batch, names, from_batch) -%}
  {%- set many = adapter.dispatch('_many_rows', 'deltawave')() -%}
  {%- if not job.strategy.library or job.settings.file_format != 'parquet' or batch.rows_old < many -%}{{ return(none) }}{%- endif -%}
  {%- set cells = deltawave._quoted_list(names + ['change_type', 'of_batch']) | join(', ') -%}
  {%- set partitions, keys = [], [] -%}
  {%- for partition in batch.result.partitions if partition.batch_id < 0 or partition.batch_id >= from_batch -%}
    {%- do partitions.append(partition) -%}
    {%- do keys.append([partition.batch_id, partition.attempt]) -%}
  {%- endfor -%}
  {%- if not partitions -%}{{ return(none) }}{%- endif -%}
  {{ return({
    'stored': '(select ' ~ cells ~ ' from ' ~ batch.result.log_table ~ ' where ' ~ deltawave._are_partitions(partitions) ~ ')',
    'partitions': keys,
    'from_batch': from_batch,
  }) }}
{%- endmacro -%}

{# From so many rows on it is worth its fixed costs that a library reads the log's files. #}
{%- macro default___many_rows() -%}{{ return(1000000) }}{%- endmacro -%}
