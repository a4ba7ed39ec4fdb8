{#
  What the decision of `record` made superfluous: the older kept side and the older decision, the landed dump where another side is
  kept, and batches that it undid.
#}
{%- macro _clean(job, batch, last, record) -%}
  {%- do deltawave._forget_undone(job, record) -%}
  {%- if batch.landed != batch.kept -%}
    {%- do deltawave._drop_table(job, batch.landed) -%}
  {%- endif -%}
  {%- if last -%}
    {%- if last.kept != record.kept -%}
      {%- do deltawave._drop_table(job, deltawave._attempt_relation(job, last.kept)) -%}
    {%- endif -%}
    {%- do deltawave._run(job, 'drop view if exists ' ~ deltawave._commit_relation(job, last.batch_id)) -%}
  {%- endif -%}
{%- endmacro -%}

{# Batches that a rewind undid leave x__batches, so that their dates can come again. #}
{%- macro _forget_undone(job, record) -%}
  {%- for batch_id in record.undone or [] -%}
    {%- do deltawave._drop_rows(job, job.batches, {'batch_id': batch_id}) -%}
  {%- endfor -%}
{%- endmacro -%}

{#
  Takes away what an attempt that is not decided has written. The copy, which was written first, goes last: as long as it stands, its
  name tells the next run that there is something to take away.
#}
{%- macro _discard(job, log_name, batch_id, attempt) -%}
  {%- set rows_in = [deltawave._helper_relation(job, log_name), deltawave._quarantine_relation(job)] -%}
  {%- set own_log = {'kind': 'log', 'batch_id': batch_id, 'attempt': attempt} -%}
  {%- set present = deltawave._names_like(job, rows_in | map(attribute='identifier') | join('|')) | map('lower') | list -%}
  {%- for table in rows_in if table.identifier | lower in present and table != deltawave._attempt_relation(job, own_log) -%}
    {%- do deltawave._drop_rows(job, table, {'batch_id': batch_id, 'attempt': deltawave._literal(attempt)}) -%}
  {%- endfor -%}
  {%- for kind in ['log', 'held', 'copy'] -%}
    {%- do deltawave._drop_table(job, deltawave._attempt_relation(job, dict(own_log, kind=kind))) -%}
  {%- endfor -%}
{%- endmacro -%}

{# Takes a partition's rows out of a table: {column: SQL literal}. #}
{%- macro _drop_rows(job, table, partition) -%}
  {%- set conditions = [] -%}
  {%- for column, value in partition.items() -%}{%- do conditions.append(column ~ ' = ' ~ value) -%}{%- endfor -%}
  {%- if job.settings.file_format == 'parquet' -%}
    {%- do deltawave._run(job, 'alter table ' ~ table ~ ' drop if exists partition (' ~ conditions | join(', ') ~ ')') -%}
  {%- else -%}
    {%- do deltawave._run(job, 'delete from ' ~ table ~ ' where ' ~ conditions | join(' and ')) -%}
  {%- endif -%}
{%- endmacro -%}

{# Iceberg's session catalog leaves the files of a dropped table, of any format, where it is not told to purge. #}
{%- macro _drop_table(job, table) -%}
  {%- set purge = ' purge' if deltawave._catalog_keeps_views(job) else '' -%}
  {%- do deltawave._run(job, 'drop table if exists ' ~ table ~ purge) -%}
{%- endmacro -%}
