{#
  Creates the log and the table of batches where missing, adds the dump's new columns and before images to the log, and
  rewrites a log whose columns have to be wider.
#}
{%- macro _prepare_log(job, batch, last) -%}
  {%- set is_rewritten = batch.columns | selectattr('is_widened') | list -%}
  {%- set has_before = job.settings.before_image != 'none' -%}
  {%- if last and last.has_before == has_before and not is_rewritten
      and not batch.columns | rejectattr('in_old') | list -%}
    {{ return(none) }}
  {%- endif -%}
  {%- if is_rewritten -%}
    {%- set partitions = deltawave._rewrite_log(
      job, batch, last, batch.result.log_table, last.first_batch, last.batch_id, batch.columns
    ) -%}
    {%- do deltawave._update(batch.result, partitions=partitions) -%}
  {%- else -%}
    {%- do deltawave._create_log(job, batch.result.log_table, batch.columns) -%}
  {%- endif -%}
  {%- set columns = deltawave._log_columns(job, batch.columns) + [deltawave._column_of_batch()] -%}
  {%- if not deltawave._add_columns(job, batch.result.log_table, columns) and batch.is_first -%}
    {#-
      Left by a first run that never decided a batch, or made by --empty. Nothing in it counts, but somebody may be
      reading it.
    -#}
    {%- set log = deltawave._rewritten_log(batch.batch_id, batch.attempt) -%}
    {%- do deltawave._update(batch.result, log=log, log_table=deltawave._helper_relation(job, log)) -%}
    {%- do deltawave._create_log(job, batch.result.log_table, batch.columns) -%}
  {%- endif -%}
{%- endmacro -%}

{%- macro _create_log(job, log, columns) -%}
  {%- set columns = deltawave._log_columns(job, columns) + deltawave._control_columns() -%}
  {%- set sql -%}
create table if not exists {{ log }} (
    {{ deltawave._definitions(columns) | join(',\n    ') }}
)
using {{ job.settings.file_format }}
partitioned by (batch_id, attempt)
{{ deltawave._name_mapping(job.settings.file_format, columns) }}
  {%- endset -%}
  {%- do deltawave._run(job, sql) -%}
  {%- do deltawave._create_batches(job) -%}
{%- endmacro -%}

{# The row's columns, then their before images: [{name, data_type}]. #}
{%- macro _log_columns(job, columns) -%}
  {%- set all = [] -%}
  {%- for column in columns -%}
    {%- do all.append({'name': column.name, 'data_type': column.data_type}) -%}
  {%- endfor -%}
  {{ return(all + (deltawave._before_columns(columns) if job.settings.before_image != 'none' else [])) }}
{%- endmacro -%}

{#
  The log's columns about each change. of_batch: the batch of a row in a merged partition (see _merge_partitions); null
  in others.
#}
{%- macro _control_columns() -%}
  {{ return([
    {'name': 'change_type', 'data_type': 'string'},
    {'name': 'changed_columns', 'data_type': 'array<string>'},
    {'name': 'batch_at', 'data_type': 'timestamp'},
    deltawave._column_of_batch(),
    {'name': 'batch_id', 'data_type': 'bigint'},
    {'name': 'attempt', 'data_type': 'string'},
  ]) }}
{%- endmacro -%}

{%- macro _column_of_batch() -%}{{ return({'name': 'of_batch', 'data_type': 'bigint'}) }}{%- endmacro -%}

{#
  Writes decided batches of the log, from first to last, into one partition of a new table, so that readers of the
  older log are never disturbed. The new table has the log's columns, hidden ones included, with the types of `columns`
  ([{name, data_type}]); a column that came only with a refused dump is left out. `baseline`, a select of the columns
  of _columns_to_rewrite and batch_id, adds rows; `condition`: which of the log's rows. Returns the partitions of the
  new log.
#}
{%- macro _rewrite_log(
  job, batch, record, target, first_batch, last_batch, columns=[], baseline=none, condition=none
) -%}
  {%- set types = {} -%}
  {%- for column in columns -%}
    {%- do types.update({
      column.name | lower: column.data_type, deltawave._before_name(column.name | lower): column.data_type,
    }) -%}
  {%- endfor -%}
  {%- set held = deltawave._columns_to_rewrite(job, record) -%}
  {%- set names = held | map(attribute='name') | list -%}
  {%- set partition = deltawave._merged_partition(batch, record.partitions | map(attribute='rows') | sum) -%}
  {%- set sql -%}
create table {{ target }}
using {{ job.settings.file_format }}
partitioned by (batch_id, attempt)
{{ deltawave._name_mapping(job.settings.file_format, held) }}
as
with decided as (
    select
        {{ deltawave._quoted_list(names) | join(', ') }},
        `_batch_id` as of_batch
    from {{ deltawave._indented(deltawave._rows_of_partitions(deltawave._helper_relation(job, record.log), record.partitions)) }}
    where `_batch_id` between {{ first_batch }} and {{ last_batch }}
    {%- if condition %}
        and {{ condition }}
    {%- endif %}
    {%- if baseline %}
    union all
    {{ deltawave._indented(baseline) }}
    {%- endif %}
)

select /*+ rebalance(of_batch) */
    {%- for column in held %}
    {%- set name = deltawave._quoted(column.name) %}
    {{ 'cast(' ~ name ~ ' as ' ~ types[column.name | lower] ~ ') as ' ~ name if column.name | lower in types else name }},
    {%- endfor %}
    of_batch,
    cast({{ partition.batch_id }} as bigint) as batch_id,
    {{ deltawave._literal(partition.attempt) }} as attempt
from decided
  {%- endset -%}
  {%- do deltawave._run(job, sql) -%}
  {{ return([partition]) }}
{%- endmacro -%}

{# The log's columns that a rewritten one has, without those of partitions: [{name, data_type}]. #}
{%- macro _columns_to_rewrite(job, record) -%}
  {%- set known = record.columns | map(attribute='name') | map('lower') | list + record.hidden -%}
  {%- set known = known + ['change_type', 'changed_columns', 'batch_at'] -%}
  {%- set held = [] -%}
  {%- for column in deltawave._columns_of(deltawave._helper_relation(job, record.log)) -%}
    {%- set name = column.name | lower -%}
    {%- set of_before = deltawave._before_name('') -%}
    {%- set name = name[of_before | length:] if name.startswith(of_before) else name -%}
    {%- if name in known -%}{%- do held.append(column) -%}{%- endif -%}
  {%- endfor -%}
  {{ return(held) }}
{%- endmacro -%}
