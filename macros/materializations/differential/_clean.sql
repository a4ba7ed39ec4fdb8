{# What the batch made superfluous: the older copy and the older decision. #}
{%- macro _clean(job, state, batch) -%}
  {%- if state.record -%}
    {%- do deltawave._drop_copy(job, state.record.kept.batch_id, state.record.kept.attempt) -%}
    {%- do deltawave._run(job, 'drop view if exists ' ~ deltawave._commit_relation(job, state.record.batch_id)) -%}
  {%- endif -%}
{%- endmacro -%}

{#
  Takes away what an attempt that is not decided has written. The copy goes last: as long as it stands, its name tells the next
  run that there is something to take away.
#}
{%- macro _discard(job, log, batch_id, attempt) -%}
  {%- if job.settings.file_format == 'parquet' -%}
    {%- set sql = 'alter table ' ~ log ~ ' drop if exists partition (batch_id = ' ~ batch_id ~ ', attempt = ' ~ deltawave._literal(attempt) ~ ')' -%}
  {%- else -%}
    {%- set sql = 'delete from ' ~ log ~ ' where batch_id = ' ~ batch_id ~ ' and attempt = ' ~ deltawave._literal(attempt) -%}
  {%- endif -%}
  {%- if log.identifier | lower in deltawave._names_like(job, log.identifier) | map('lower') | list -%}
    {%- do deltawave._run(job, sql) -%}
  {%- endif -%}
  {%- do deltawave._drop_copy(job, batch_id, attempt) -%}
{%- endmacro -%}

{%- macro _drop_copy(job, batch_id, attempt) -%}
  {%- do deltawave._drop_table(job, deltawave._copy_relation(job, batch_id, attempt)) -%}
{%- endmacro -%}

{# Iceberg's session catalog leaves the files of a dropped table, of any format, where it is not told to purge. #}
{%- macro _drop_table(job, table) -%}
  {%- set purge = ' purge' if deltawave._catalog_keeps_views(job) else '' -%}
  {%- do deltawave._run(job, 'drop table if exists ' ~ table ~ purge) -%}
{%- endmacro -%}
