{# What the batch made superfluous: the older kept side and the older decision, and the landed dump where another side is kept. #}
{%- macro _clean(job, state, batch) -%}
  {%- if batch.landed != batch.kept -%}
    {%- do deltawave._drop_table(job, batch.landed) -%}
  {%- endif -%}
  {%- if state.record -%}
    {%- do deltawave._drop_table(job, deltawave._side_relation(job, state.record.kept)) -%}
    {%- do deltawave._run(job, 'drop view if exists ' ~ deltawave._commit_relation(job, state.record.batch_id)) -%}
  {%- endif -%}
{%- endmacro -%}

{#
  Takes away what an attempt that is not decided has written. The copy, which was written first, goes last: as long as it stands, its
  name tells the next run that there is something to take away.
#}
{%- macro _discard(job, log, batch_id, attempt) -%}
  {%- set tables = [log, deltawave._quarantine_relation(job)] -%}
  {%- set present = deltawave._names_like(job, tables | map(attribute='identifier') | join('|')) | map('lower') | list -%}
  {%- for table in tables if table.identifier | lower in present -%}
    {%- do deltawave._discard_rows(job, table, batch_id, attempt) -%}
  {%- endfor -%}
  {%- for kind in ['held', 'copy'] -%}
    {%- do deltawave._drop_table(job, deltawave._side_relation(job, {'kind': kind, 'batch_id': batch_id, 'attempt': attempt})) -%}
  {%- endfor -%}
{%- endmacro -%}

{%- macro _discard_rows(job, table, batch_id, attempt) -%}
  {%- if job.settings.file_format == 'parquet' -%}
    {%- set sql = 'alter table ' ~ table ~ ' drop if exists partition (batch_id = ' ~ batch_id ~ ', attempt = ' ~ deltawave._literal(attempt) ~ ')' -%}
  {%- else -%}
    {%- set sql = 'delete from ' ~ table ~ ' where batch_id = ' ~ batch_id ~ ' and attempt = ' ~ deltawave._literal(attempt) -%}
  {%- endif -%}
  {%- do deltawave._run(job, sql) -%}
{%- endmacro -%}

{# Iceberg's session catalog leaves the files of a dropped table, of any format, where it is not told to purge. #}
{%- macro _drop_table(job, table) -%}
  {%- set purge = ' purge' if deltawave._catalog_keeps_views(job) else '' -%}
  {%- do deltawave._run(job, 'drop table if exists ' ~ table ~ purge) -%}
{%- endmacro -%}
