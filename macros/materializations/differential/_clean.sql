{# What the decision of `record` made superfluous: the older copy, the older decision, and batches that it undid. #}
{%- macro _clean(job, last, record) -%}
  {%- do deltawave._forget_undone(job, record) -%}
  {%- if last -%}
    {%- if last.kept != record.kept -%}
      {%- do deltawave._drop_copy(job, last.kept.batch_id, last.kept.attempt) -%}
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
  Takes away what an attempt that is not decided has written. The copy goes last: as long as it stands, its name tells the next
  run that there is something to take away.
#}
{%- macro _discard(job, log_name, batch_id, attempt) -%}
  {%- set logs = deltawave._names_like(job, job.target.identifier ~ '__log*') | map('lower') | list -%}
  {%- set own = deltawave._helper_relation(job, deltawave._rewritten_log(batch_id, attempt)) -%}
  {%- set log = deltawave._helper_relation(job, log_name) -%}
  {%- if own.identifier | lower in logs -%}
    {%- do deltawave._drop_table(job, own) -%}
  {%- endif -%}
  {%- if log != own and log.identifier | lower in logs -%}
    {%- do deltawave._drop_rows(job, log, {'batch_id': batch_id, 'attempt': deltawave._literal(attempt)}) -%}
  {%- endif -%}
  {%- do deltawave._drop_copy(job, batch_id, attempt) -%}
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

{%- macro _drop_copy(job, batch_id, attempt) -%}
  {%- do deltawave._drop_table(job, deltawave._copy_relation(job, batch_id, attempt)) -%}
{%- endmacro -%}

{# Iceberg's session catalog leaves the files of a dropped table, of any format, where it is not told to purge. #}
{%- macro _drop_table(job, table) -%}
  {%- set purge = ' purge' if deltawave._catalog_keeps_views(job) else '' -%}
  {%- do deltawave._run(job, 'drop table if exists ' ~ table ~ purge) -%}
{%- endmacro -%}
