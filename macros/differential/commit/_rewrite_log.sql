{#
  Writes decided batches of the log, from first to last, into one partition of a new table, so that readers of the older log are never disturbed. The new
  table has the log's columns, hidden ones included, with the types of `columns` ([{name, data_type}]); a column that came only with a refused dump is
  left out. `baseline`, a select of the columns of _columns_to_rewrite and batch_id, adds rows. Returns the partitions of the new log.
#}
{%- macro _rewrite_log(job, batch, record, target, first_batch, last_batch, columns=[], baseline=none) -%}
  {%- set types = {} -%}
  {%- for column in columns -%}
    {%- do types.update({column.name | lower: column.data_type, deltawave._before_name(column.name | lower): column.data_type}) -%}
  {%- endfor -%}
  {%- set held = deltawave._columns_to_rewrite(job, record) -%}
  {%- set names = held | map(attribute='name') | list -%}
  {%- set partition = deltawave._merged_partition(batch, record.partitions | sum(attribute='rows')) -%}
  {%- set sql -%}
create table {{ target }}
using {{ job.settings.file_format }}
partitioned by (batch_id, attempt)
{{ deltawave._name_mapping(job.settings.file_format, held) }}
as
with decided as (
    select
        {{ deltawave._quoted_list(names) | join(', ') }},
        batch_id as of_batch
    from {{ deltawave._indented(deltawave._rows_of_partitions(deltawave._helper_relation(job, record.log), record.partitions)) }}
    where batch_id between {{ first_batch }} and {{ last_batch }}
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
    {%- if (column.name | lower).removeprefix(deltawave._before_name('')) in known -%}{%- do held.append(column) -%}{%- endif -%}
  {%- endfor -%}
  {{ return(held) }}
{%- endmacro -%}
