{#
  Where the rows of an attempt wait until its batch is decided. Readers of a parquet table list its partitions, then their files; a partition or
  file must not disappear between these steps. So the rows are staged in the partition of the batch's negative number, which no reader asks for: if
  the attempt loses, is refused or is killed, that partition can be dropped at any time. The partition is created with its final folder, so placing
  only renames it in the catalog and moves no file. Readers of a Delta or Iceberg table have a snapshot, so there rows are staged in their final
  place.
#}

{# The number of the partition in which the rows of a batch are staged. #}
{%- macro _staged_number(job, batch_id) -%}
  {{ return(-batch_id if job.settings.file_format == 'parquet' else batch_id) }}
{%- endmacro -%}

{# Creates the partition in which an attempt stages its rows. Its folder is its own: no other writer's files or cleaning touch it. #}
{%- macro _reserve(job, batch, table) -%}
  {%- if job.settings.file_format == 'parquet' -%}
    {%- set folder = deltawave._folder(job, table) ~ '/' ~ deltawave._partition_name(batch.batch_id, batch.attempt) -%}
    {%- set sql -%}
alter table {{ table }} add if not exists
partition ({{ deltawave._partition_of(deltawave._staged_number(job, batch.batch_id), batch.attempt) }})
location {{ deltawave._literal(folder) }}
    {%- endset -%}
    {%- do deltawave._run(job, sql) -%}
  {%- endif -%}
{%- endmacro -%}

{# Gives the staged rows of a decided batch the batch's number. Repeating it, in the run that finishes a killed one, changes nothing. #}
{%- macro _place(job, record) -%}
  {%- for name in record.staged_in if job.settings.file_format == 'parquet' -%}
    {%- do deltawave._place_rows(job, record, deltawave._helper_relation(job, name)) -%}
  {%- endfor -%}
{%- endmacro -%}

{%- macro _place_rows(job, record, table) -%}
  {%- set number = deltawave._staged_number(job, record.batch_id) -%}
  {%- set staged = deltawave._run(job, 'show partitions ' ~ table ~ ' partition (batch_id = ' ~ number ~ ')').rows -%}
  {%- if deltawave._partition_name(number, record.attempt) in staged | map(attribute=0) | list -%}
    {%- set sql -%}
alter table {{ table }}
partition ({{ deltawave._partition_of(number, record.attempt) }})
rename to partition ({{ deltawave._partition_of(record.batch_id, record.attempt) }})
    {%- endset -%}
    {%- do deltawave._run(job, sql) -%}
  {%- endif -%}
{%- endmacro -%}

{# The folder of a table's files. #}
{%- macro _folder(job, table) -%}
  {%- set facts = {} -%}
  {%- for row in deltawave._run(job, 'describe extended ' ~ table).rows -%}
    {#- The table's properties follow its columns, one of which may have the same name. -#}
    {%- do facts.update({row[0]: row[1]}) -%}
  {%- endfor -%}
  {{ return(facts['Location']) }}
{%- endmacro -%}

{# A partition as the catalog names it, and therefore its folder. #}
{%- macro _partition_name(number, attempt) -%}
  {{ return('batch_id=' ~ number ~ '/attempt=' ~ attempt) }}
{%- endmacro -%}

{%- macro _partition_of(number, attempt) -%}
  {{ return('batch_id = ' ~ number ~ ', attempt = ' ~ deltawave._literal(attempt)) }}
{%- endmacro -%}

{# Drops the staged rows of an attempt from a table (see _place). #}
{%- macro _drop_staged(job, table, batch_id, attempt) -%}
  {%- if job.settings.file_format == 'parquet' -%}
    {%- set partition = deltawave._partition_of(deltawave._staged_number(job, batch_id), attempt) -%}
    {%- do deltawave._run(job, 'alter table ' ~ table ~ ' drop if exists partition (' ~ partition ~ ')') -%}
  {%- else -%}
    {%- do deltawave._run(job, 'delete from ' ~ table ~ ' where batch_id = ' ~ batch_id ~ ' and attempt = ' ~ deltawave._literal(attempt)) -%}
  {%- endif -%}
{%- endmacro -%}
