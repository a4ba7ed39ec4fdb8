{#
  The log from a batch on, for a Python library that reads its files: {stored: the table's rows, of all attempts, as a select in parentheses, partitions: number and
  attempt of those that count, from_batch}. None where Spark reads it alone.
#}
{%- macro _files_of_log(job, batch, names, from_batch) -%}
  {%- set is_worth_it = job.strategy.reads_log or batch.rows_old >= adapter.dispatch('_many_rows', 'deltawave')() -%}
  {%- if not job.strategy.library or job.settings.file_format != 'parquet' or not is_worth_it -%}{{ return(none) }}{%- endif -%}
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

{# From so many rows on it is worth its fixed costs that DuckDB reads the log's files, for a strategy that does not use it otherwise. #}
{%- macro default___many_rows() -%}{{ return(1000000) }}{%- endmacro -%}
