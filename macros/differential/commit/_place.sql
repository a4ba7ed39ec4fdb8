{#
  Where the rows of an attempt wait until it has decided its batch. Readers of a parquet table list its partitions, then their files, and
  neither may go while they do. So the rows are staged in the partition of the batch's negative number, which no reader asks for: of an
  attempt that loses, or is refused, or killed, it is dropped at any time. The partition lies from the first in the folder that it has in
  the end, so placing it is one change of the catalog and moves no file. Readers of a Delta or Iceberg table have a snapshot of it: rows are
  staged where they stay.
#}

{# The number of the partition in which the rows of a batch are staged. #}
{%- macro _staged_number(job, batch_id) -%}
  {{ return(-batch_id if job.settings.file_format == 'parquet' else batch_id) }}
{%- endmacro -%}

{# Makes the partition in which an attempt stages its rows. Its folder is its own: no other writer's files or clearing up come near it. #}
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

{# Gives the staged rows of a decided batch its number. Done again, by the run that finishes a stopped one, it changes nothing. #}
{%- macro _place(job, record) -%}
  {%- if job.settings.file_format == 'parquet' -%}
    {%- do deltawave._place_rows(job, record, deltawave._helper_relation(job, record.log)) -%}
    {%- if record.quarantined -%}
      {%- do deltawave._place_rows(job, record, deltawave._quarantine_relation(job)) -%}
    {%- endif -%}
  {%- endif -%}
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

{# Where a table's files lie. #}
{%- macro _folder(job, table) -%}
  {%- set facts = {} -%}
  {%- for row in deltawave._run(job, 'describe extended ' ~ table).rows -%}
    {#- The table's own facts come after its columns, of which one may be called so. -#}
    {%- do facts.update({row[0]: row[1]}) -%}
  {%- endfor -%}
  {{ return(facts['Location']) }}
{%- endmacro -%}

{# A partition as the catalog names it, and so its folder. #}
{%- macro _partition_name(number, attempt) -%}
  {{ return('batch_id=' ~ number ~ '/attempt=' ~ attempt) }}
{%- endmacro -%}

{%- macro _partition_of(number, attempt) -%}
  {{ return('batch_id = ' ~ number ~ ', attempt = ' ~ deltawave._literal(attempt)) }}
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
