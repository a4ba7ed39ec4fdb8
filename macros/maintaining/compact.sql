{#
  Rewrites the log into fewer files. A Delta or Iceberg log is compacted by the format's own command. A parquet log is
  rewritten, one file per batch where that is enough, and the older log stays until purge. Readers see the same rows
  throughout.

    dbt run-operation deltawave.compact --args '{model: accounts_changes}'
#}
{%- macro compact(model) -%}
  {{ return(adapter.dispatch('compact', 'deltawave')(model)) }}
{%- endmacro -%}

{%- macro default__compact(model) -%}
  {%- if not execute -%}{{ return(none) }}{%- endif -%}
  {%- set work = deltawave._open_maintenance('compact', model) -%}
  {%- set file_format = work.job.settings.file_format -%}
  {%- set source = deltawave._helper_relation(work.job, work.record.log) -%}
  {%- if file_format == 'parquet' -%}
    {%- set partitions = deltawave._rewrite_log(
      work.job, work.batch, work.record, work.batch.log_table, work.record.first_batch, work.record.batch_id
    ) -%}
    {%- do deltawave._commit_maintenance(work, partitions, 'compacted the log', {}) -%}
  {%- else -%}
    {%- for table in [source, work.job.batches] -%}
      {%- if file_format == 'delta' -%}
        {%- do deltawave._run(work.job, 'optimize ' ~ table) -%}
      {%- else -%}
        {%- do deltawave._run(
          work.job, 'call spark_catalog.system.rewrite_data_files(table => ' ~ deltawave._literal(table | string) ~ ')'
        ) -%}
      {%- endif -%}
    {%- endfor -%}
    {%- do log('deltawave: ' ~ work.job.name ~ ': compacted the log', info=true) -%}
  {%- endif -%}
{%- endmacro -%}
