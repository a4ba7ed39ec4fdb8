{#
  Where the rows of an attempt are until its batch is decided. Readers of a parquet table list its partitions, then
  their files; a partition or file must not disappear between these steps. So the rows are staged as files in the
  folder that the partition of (batch, attempt) will have, and it becomes a partition only after the decision: an
  attempt that loses, is refused or is killed leaves nothing that a reader could find. Readers of a Delta or Iceberg
  table have a snapshot, so there rows are staged in their final place.
#}

{# Writes rows of an attempt, a select of these columns [{name, data_type}], where no reader finds them. #}
{%- macro _stage_rows(job, batch, table, columns, rows) -%}
  {%- set is_parquet = job.settings.file_format == 'parquet' -%}
  {%- set names = deltawave._quoted_list(columns | map(attribute='name')) -%}
  {#- A large first dump lies in files of a good size, which are written as they are read. -#}
  {%- set is_large = batch.is_first and (batch.result.rows_new or 0) > 1000000 -%}
  {%- set sql -%}
{%- if is_parquet -%}
insert overwrite directory {{ deltawave._literal(deltawave._staged_folder(job, batch, table)) }}
using parquet
{%- else -%}
insert into {{ table }} (
    {{ names | join(',\n    ') }},
    batch_id,
    attempt
)
{%- endif %}
with staged as (
    {{ deltawave._indented(rows) }}
)

select{{ ' /*+ rebalance */' if not is_large }}
    {%- for column in columns %}
    cast(staged.{{ names[loop.index0] }} as {{ column.data_type }}) as {{ names[loop.index0] }}{{ ',' if not (is_parquet and loop.last) }}
    {%- endfor %}
    {%- if not is_parquet %}
    {{ batch.batch_id }} as batch_id,
    {{ deltawave._literal(batch.attempt) }} as attempt
    {%- endif %}
from staged
  {%- endset -%}
  {%- do deltawave._run(job, sql) -%}
{%- endmacro -%}

{# The staged rows of an attempt, as a relation. #}
{%- macro _staged_rows(job, batch, table) -%}
  {%- if job.settings.file_format == 'parquet' -%}
    {#- A path in a query may be a pattern. -#}
    {%- set path = modules.re.sub('([{}\\[\\]*?])', '\\\\\\1', deltawave._staged_folder(job, batch, table)) -%}
    {{ return('parquet.' ~ deltawave._quoted(path)) }}
  {%- endif -%}
  {{ return('(select * from ' ~ table ~ ' where ' ~ deltawave._partition_of(batch, ' and ') ~ ')') }}
{%- endmacro -%}

{#
  Makes the staged rows of a decided batch rows of their tables. Repeating it, in the run that finishes a killed one,
  changes nothing.
#}
{%- macro _place(job, record) -%}
  {%- for name in record.staged_in if job.settings.file_format == 'parquet' -%}
    {%- set added = ['partition (' ~ deltawave._partition_of(record) ~ ')'] -%}
    {%- for partition in record.partitions if name == record.log
        and (partition.batch_id == -record.batch_id or partition.attempt == deltawave._replacing_attempt(record)) -%}
      {%- do added.append('partition (' ~ deltawave._partition_of(partition) ~ ')') -%}
    {%- endfor -%}
    {%- do deltawave._run(
      job, 'alter table ' ~ deltawave._helper_relation(job, name) ~ ' add if not exists ' ~ added | join(' ')
    ) -%}
  {%- endfor -%}
  {%- if job.placing -%}
    {%- do deltawave._macro_named(job.placing)(job, record) -%}
  {%- endif -%}
{%- endmacro -%}

{#
  Drops what an attempt has staged in a table: its rows, and those that it merged. A statement can delete files only
  with a partition: it gets a number and attempt that no reader selects.
#}
{%- macro _drop_staged(job, table, batch) -%}
  {%- set staged = [batch, deltawave._merged_partition(batch, none)] -%}
  {%- if job.settings.file_format != 'parquet' -%}
    {%- do deltawave._run(job, 'delete from ' ~ table ~ ' where ' ~ deltawave._are_partitions(staged)) -%}
    {{ return(none) }}
  {%- endif -%}
  {%- if adapter.delete_in_each is defined -%}
    {%- do adapter.delete_in_each(deltawave._folder(job, table), 'attempt=' ~ deltawave._replacing_attempt(batch)) -%}
  {%- endif -%}
  {%- set partition = ' partition (' ~ deltawave._partition_of(staged[1]) ~ ')' -%}
  {%- for folder in [
    deltawave._staged_folder(job, staged[0], table), deltawave._staged_folder(job, staged[1], table),
  ] -%}
    {%- if not (adapter.delete_folder is defined and adapter.delete_folder(folder)) -%}
      {%- do deltawave._run(
        job, 'alter table ' ~ table ~ ' add if not exists' ~ partition ~ ' location ' ~ deltawave._literal(folder)
      ) -%}
      {%- do deltawave._run(job, 'alter table ' ~ table ~ ' drop if exists' ~ partition) -%}
    {%- endif -%}
  {%- endfor -%}
{%- endmacro -%}

{# The attempt of partitions that an erasure has in place of others of the same numbers. #}
{%- macro _replacing_attempt(batch) -%}{{ return(batch.attempt ~ '_' ~ batch.batch_id) }}{%- endmacro -%}

{# The number of the batch that wrote a partition: a merge, an erasure, or the one whose changes it has. #}
{%- macro _writer_of(partition) -%}
  {%- set erasure = partition.attempt.split('_')[1:] or [partition.batch_id] -%}
  {{ return(erasure[0] | int | abs) }}
{%- endmacro -%}

{# The folder of an attempt's rows in a table, as Spark names that of a partition. #}
{%- macro _staged_folder(job, batch, table) -%}
  {{ return(deltawave._folder(job, table) ~ '/batch_id=' ~ batch.batch_id ~ '/attempt=' ~ batch.attempt) }}
{%- endmacro -%}

{# The folder of a table's files. Queried once per run. #}
{%- macro _folder(job, table) -%}
  {%- if table | string not in job.folders -%}
    {%- set facts = deltawave._facts_of(job, table) -%}
    {%- if not facts.get('Location') -%}
      {%- do deltawave._fail('foreign_relation', {
        'model': job.name, 'relation': table | string, 'type': facts.get('Type', 'relation') | lower,
      }) -%}
    {%- endif -%}
    {%- do job.folders.update({table | string: facts['Location']}) -%}
  {%- endif -%}
  {{ return(job.folders[table | string]) }}
{%- endmacro -%}
