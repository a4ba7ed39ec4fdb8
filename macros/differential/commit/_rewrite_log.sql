{#
  Writes decided batches of the log, from first to last, into a new table, so that readers of the older log are never disturbed. The new table
  has the log's columns, hidden ones included, with the types of `columns` ([{name, data_type}]); a column that came only with a refused dump is left
  out. `baseline`, a select of the source's columns in their order, adds rows.
#}
{%- macro _rewrite_log(job, record, target, first_batch, last_batch, columns=[], baseline=none) -%}
  {%- set source = deltawave._helper_relation(job, record.log) -%}
  {%- set types = {} -%}
  {%- for column in columns -%}
    {%- do types.update({column.name | lower: column.data_type, deltawave._before_name(column.name | lower): column.data_type}) -%}
  {%- endfor -%}
  {%- set known = record.columns | map(attribute='name') | map('lower') | list + record.hidden -%}
  {%- set known = known + deltawave._control_columns() | map(attribute='name') | list -%}
  {%- set held = [] -%}
  {%- for column in deltawave._columns_of(source) if (column.name | lower).removeprefix(deltawave._before_name('')) in known -%}
    {%- do held.append(column) -%}
  {%- endfor -%}
  {%- set sql -%}
create table {{ target }}
using {{ job.settings.file_format }}
partitioned by (batch_id, attempt)
{{ deltawave._name_mapping(job.settings.file_format, held) }}
as
with decided as (
    select log.*
    from {{ source }} as log
    left semi join {{ job.batches }} as batches
        on log.batch_id = batches.batch_id and log.attempt = batches.attempt
    where log.batch_id between {{ first_batch }} and {{ last_batch }}
    {%- if baseline %}
    union all
    {{ deltawave._indented(baseline) }}
    {%- endif %}
)

select /*+ rebalance(batch_id) */
    {%- for column in held if column.name not in ['batch_id', 'attempt'] %}
    {%- set name = deltawave._quoted(column.name) %}
    {{ 'cast(' ~ name ~ ' as ' ~ types[column.name | lower] ~ ') as ' ~ name if column.name | lower in types else name }},
    {%- endfor %}
    batch_id,
    attempt
from decided
  {%- endset -%}
  {%- do deltawave._run(job, sql) -%}
{%- endmacro -%}
