{#
  The partitions of a log. A batch writes one, (batch_id, attempt). Many small files are slow to read, so that a batch
  which finds many small partitions merges them into one, whose number is negative; there, of_batch names the batch of
  each row. The record of a decision lists those that count, [{batch_id, attempt, rows}]: rows of attempts that lost,
  and of partitions that were merged, are in none of them.
#}

{# The partition into which an attempt merges others. #}
{%- macro _merged_partition(batch, rows) -%}
  {{ return({'batch_id': -batch.batch_id, 'attempt': batch.attempt, 'rows': rows}) }}
{%- endmacro -%}

{#
  Adds the batch's partition to those of its log. If more than _merging() says of the previous ones are small, the
  batch merges the smallest: one more than that number, and further ones while all together have up to twenty million
  rows. Small is below a million rows, or below a hundredth of the log's rows, so the list of partitions stays short.
#}
{%- macro _merge_partitions(job, batch, last) -%}
  {%- set own = {'batch_id': batch.batch_id, 'attempt': batch.attempt, 'rows': batch.result.counts.values() | sum} -%}
  {%- set before = batch.result.partitions -%}
  {%- set limit = [1000000, before | map(attribute='rows') | sum // 100] | max -%}
  {%- set small = before | selectattr('rows', 'lt', limit) | sort(attribute='rows') -%}
  {%- set most = adapter.dispatch('_merging', 'deltawave')().partitions -%}
  {%- if small | length > most -%}
    {%- set merged, rows = small[:most + 1], namespace(sum=small[:most + 1] | map(attribute='rows') | sum) -%}
    {%- for partition in small[most + 1:] -%}
      {%- if rows.sum + partition.rows <= 20000000 -%}
        {%- do merged.append(partition) -%}
        {%- set rows.sum = rows.sum + partition.rows -%}
      {%- endif -%}
    {%- endfor -%}
    {%- do deltawave._step(job, batch, 'merge') -%}
    {%- do deltawave._stage_merged(job, batch, merged) -%}
    {%- set before = before | reject('in', merged) | list + [deltawave._merged_partition(batch, rows.sum)] -%}
    {%- do deltawave._update(
      batch.result, merge=deltawave._next_merge(job, batch, last, before),
      history=deltawave._write_history(job, batch, last)
    ) -%}
  {%- elif last and last.log != batch.result.log -%}
    {%- do deltawave._update(batch.result, merge=none) -%}
  {%- endif -%}
  {%- do deltawave._update(batch.result, partitions=before + [own]) -%}
{%- endmacro -%}

{# With more small partitions than this, a batch merges them; those that were merged so many days ago are dropped. #}
{%- macro default___merging() -%}{{ return({'partitions': 16, 'days': 1}) }}{%- endmacro -%}

{# condition: which rows; the others are in no partition then. #}
{%- macro _stage_merged(job, batch, partitions, condition=none) -%}
  {%- set table = batch.result.log_table -%}
  {%- set columns = deltawave._columns_of(table) | rejectattr('name', 'in', ['of_batch', 'batch_id', 'attempt']) | list -%}
  {%- set names = columns | map(attribute='name') | list -%}
  {%- set rows -%}
select
    {{ deltawave._quoted_list(names) | join(',\n    ') }},
    `_batch_id` as of_batch
from {{ deltawave._rows_of_partitions(table, partitions) }}
{%- if condition %}
where {{ condition }}
{%- endif %}
  {%- endset -%}
  {%- set staged = dict(batch, **deltawave._merged_partition(batch, none)) -%}
  {%- do deltawave._stage_rows(job, staged, table, columns + [deltawave._column_of_batch()], rows) -%}
{%- endmacro -%}

{#
  The merge to record: {batch_id, at, partitions: those that it left}. The partitions that it merged are not dropped
  yet, since readers of an older view may need them: a later merge drops them when this one is old enough (see
  _drop_merged). A run that has finished a killed batch records the older merge again: readers saw the previous view
  until now.
#}
{%- macro _next_merge(job, batch, last, partitions) -%}
  {%- set now = modules.datetime.datetime.now(modules.pytz.utc) -%}
  {%- set days = adapter.dispatch('_merging', 'deltawave')().days -%}
  {%- set old_enough = deltawave._utc(now - modules.datetime.timedelta(days=days)) -%}
  {%- if last.merge and (last.merge.at >= old_enough or job.has_finished) -%}{{ return(last.merge) }}{%- endif -%}
  {{ return({'batch_id': batch.batch_id, 'at': deltawave._utc(now), 'partitions': deltawave._keys_of(partitions)}) }}
{%- endmacro -%}

{#
  Drops what a merge of a log's partitions, or one before it, has merged. is_postponable: in Delta and Iceberg
  tables a delete may conflict with another writer and fail; then a later merge drops these rows, too.
#}
{%- macro _drop_merged(job, log_name, merge, is_postponable=false) -%}
  {%- set table = deltawave._helper_relation(job, log_name) -%}
  {%- set dropped = [] -%}
  {%- for partition in deltawave._partitions_in(job, table)
      if deltawave._writer_of(partition) < merge.batch_id -%}
    {%- if [partition.batch_id, partition.attempt] not in merge.partitions -%}
      {%- do dropped.append(partition) -%}
    {%- endif -%}
  {%- endfor -%}
  {%- if dropped and job.settings.file_format == 'parquet' -%}
    {%- set each = [] -%}
    {%- for partition in dropped -%}
      {%- do each.append('partition (' ~ deltawave._partition_of(partition) ~ ')') -%}
    {%- endfor -%}
    {%- do deltawave._run(job, 'alter table ' ~ table ~ ' drop if exists ' ~ each | join(', ')) -%}
  {%- elif dropped -%}
    {%- set sql = 'delete from ' ~ table ~ ' where ' ~ deltawave._are_partitions(dropped) -%}
    {%- if not (is_postponable and adapter.try_statement is defined) -%}
      {%- do deltawave._run(job, sql) -%}
      {{ return(none) }}
    {%- endif -%}
    {%- do job.statements.append(sql) -%}
    {%- if not adapter.try_statement(sql) -%}
      {%- do log('deltawave: ' ~ job.name ~ ': rows that were merged stay in ' ~ table ~ ' until a later merge; dbt.log has the error', info=true) -%}
    {%- endif -%}
  {%- endif -%}
{%- endmacro -%}

{# Partitions as [batch_id, attempt], as JSON gives them back. #}
{%- macro _keys_of(partitions) -%}
  {%- set keys = [] -%}
  {%- for partition in partitions -%}{%- do keys.append([partition.batch_id, partition.attempt]) -%}{%- endfor -%}
  {{ return(keys) }}
{%- endmacro -%}

{# The partitions that a log has, of all attempts: [{batch_id, attempt}]. #}
{%- macro _partitions_in(job, table) -%}
  {%- set found = [] -%}
  {%- if job.settings.file_format == 'parquet' -%}
    {%- for row in deltawave._run(job, 'show partitions ' ~ table).rows -%}
      {%- set cells = deltawave._whole_match('batch_id=(-?\\d+)/attempt=(\\w+)', row[0]) -%}
      {%- do found.append({'batch_id': cells.group(1) | int, 'attempt': cells.group(2)}) -%}
    {%- endfor -%}
  {%- else -%}
    {%- for row in deltawave._run(job, 'select distinct batch_id, attempt from ' ~ table).rows -%}
      {%- do found.append({'batch_id': row[0] | int, 'attempt': row[1]}) -%}
    {%- endfor -%}
  {%- endif -%}
  {{ return(found) }}
{%- endmacro -%}
