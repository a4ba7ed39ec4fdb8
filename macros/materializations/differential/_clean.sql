{# What the decision of `record` made superfluous: tables that neither it nor the next batch reads, the older decision, undone batches. #}
{%- macro _clean(job, batch, last, record) -%}
  {%- do deltawave._forget_undone(job, record) -%}
  {%- set names = deltawave._names_like(job, job.target.identifier ~ '__*') -%}
  {%- for side in deltawave._attempts_helpers(job, names, deltawave._side_kinds()) -%}
    {#- What other attempts have left tells the next run of log rows that it has to take away as well. -#}
    {%- set is_own = side.batch_id == batch.batch_id and side.attempt == batch.attempt -%}
    {%- if (is_own or last and deltawave._is_kept(last, side)) and not deltawave._is_kept(record, side) -%}
      {%- do deltawave._drop_table(job, deltawave._attempt_relation(job, side)) -%}
    {%- endif -%}
  {%- endfor -%}
  {%- if last -%}
    {%- do deltawave._run(job, 'drop view if exists ' ~ deltawave._commit_relation(job, last.batch_id)) -%}
  {%- endif -%}
{%- endmacro -%}

{# Batches that a rewind undid leave x__batches, so that their dates can come again. #}
{%- macro _forget_undone(job, record) -%}
  {%- for batch_id in record.undone or [] -%}
    {%- do deltawave._drop_rows(job, job.batches, {'batch_id': batch_id}) -%}
  {%- endfor -%}
{%- endmacro -%}

{# Tables that an attempt writes beside the log: what it read, what it keeps, the ranges of that, and a view's touched anchors. #}
{%- macro _side_kinds() -%}
  {{ return(['copy', 'held', 'base', 'checksums', 'slice', 'ranges', 'cuts', 'anchors']) }}
{%- endmacro -%}

{# Does the next batch need that table? #}
{%- macro _is_kept(record, side) -%}
  {%- for kept in [record.kept, record.ranges] if kept -%}
    {%- if (kept.kind, kept.batch_id, kept.attempt) == (side.kind, side.batch_id, side.attempt) -%}{{ return(true) }}{%- endif -%}
  {%- endfor -%}
  {{ return(false) }}
{%- endmacro -%}

{#
  Takes away what an attempt that is not decided has written. Its tables, of which one was written first, go last: as long as one
  stands, its name tells the next run that there is something to take away.
#}
{%- macro _discard(job, log_name, batch_id, attempt) -%}
  {%- set names = deltawave._names_like(job, job.target.identifier ~ '__*') -%}
  {%- set present = names | map('lower') | list -%}
  {%- set own_log = deltawave._rewritten_log(batch_id, attempt) -%}
  {%- for table in [deltawave._helper_relation(job, log_name), deltawave._quarantine_relation(job)] -%}
    {%- if table.identifier | lower in present and table != deltawave._helper_relation(job, own_log) -%}
      {%- do deltawave._drop_rows(job, table, {'batch_id': batch_id, 'attempt': deltawave._literal(attempt)}) -%}
    {%- endif -%}
  {%- endfor -%}
  {%- for side in deltawave._attempts_helpers(job, names, ['log'] + deltawave._side_kinds()) -%}
    {%- if side.batch_id == batch_id and side.attempt == attempt -%}
      {%- do deltawave._drop_table(job, deltawave._attempt_relation(job, side)) -%}
    {%- endif -%}
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
