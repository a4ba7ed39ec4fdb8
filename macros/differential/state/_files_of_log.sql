{#
  The log from a batch on, for a Python library that reads its files: {stored, partitions, from_batch}; none if Spark
  has to read it.

    stored      a select, in parentheses, of the table's rows of all attempts
    partitions  [batch_id, attempt] of the valid partitions; merged ones (below 0) may have rows of any batch
#}
{%- macro _files_of_log(job, batch, names, from_batch) -%}
  {%- if not job.strategy.library or job.settings.file_format != 'parquet' -%}{{ return(none) }}{%- endif -%}
  {%- set cells = deltawave._quoted_list(names + ['change_type', 'of_batch']) | join(', ') -%}
  {%- set partitions = [] -%}
  {%- for partition in batch.result.partitions if partition.batch_id < 0 or partition.batch_id >= from_batch -%}
    {%- do partitions.append(partition) -%}
  {%- endfor -%}
  {%- if not partitions -%}{{ return(none) }}{%- endif -%}
  {{ return({
    'stored': '(select ' ~ cells ~ ' from ' ~ batch.result.log_table ~ ' where ' ~ deltawave._are_partitions(partitions)
      ~ ')',
    'partitions': deltawave._keys_of(partitions),
    'from_batch': from_batch,
  }) }}
{%- endmacro -%}

{# From this many rows on, comparing row groups by their checksums pays for its fixed costs. #}
{%- macro default___many_rows() -%}{{ return(1000000) }}{%- endmacro -%}
