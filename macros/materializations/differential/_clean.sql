{# What the decision of `record` made superfluous: tables that neither it nor the next batch reads, and the older decision. #}
{%- macro _clean(job, batch, last, record) -%}
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
      {%- do deltawave._drop_staged(job, table, batch_id, attempt) -%}
    {%- endif -%}
  {%- endfor -%}
  {%- for side in deltawave._attempts_helpers(job, names, ['log'] + deltawave._side_kinds()) -%}
    {%- if side.batch_id == batch_id and side.attempt == attempt -%}
      {%- do deltawave._drop_table(job, deltawave._attempt_relation(job, side)) -%}
    {%- endif -%}
  {%- endfor -%}
{%- endmacro -%}

{# Takes the rows that an attempt has staged out of a table (see _place). #}
{%- macro _drop_staged(job, table, batch_id, attempt) -%}
  {%- if job.settings.file_format == 'parquet' -%}
    {%- set partition = deltawave._partition_of(deltawave._staged_number(job, batch_id), attempt) -%}
    {%- do deltawave._run(job, 'alter table ' ~ table ~ ' drop if exists partition (' ~ partition ~ ')') -%}
  {%- else -%}
    {%- do deltawave._run(job, 'delete from ' ~ table ~ ' where batch_id = ' ~ batch_id ~ ' and attempt = ' ~ deltawave._literal(attempt)) -%}
  {%- endif -%}
{%- endmacro -%}

{# Iceberg's session catalog leaves the files of a dropped table, of any format, where it is not told to purge. #}
{%- macro _drop_table(job, table) -%}
  {%- set purge = ' purge' if deltawave._catalog_keeps_views(job) else '' -%}
  {%- do deltawave._run(job, 'drop table if exists ' ~ table ~ purge) -%}
{%- endmacro -%}
