{# Deliveries of dates that were compared before, or came too late: x__deliveries. What they say of a date saves reading its rows in each run. #}
{%- macro _deliveries(job) -%}{{ return(deltawave._helper_relation(job, 'deliveries')) }}{%- endmacro -%}

{%- macro _keep_deliveries(job, record, seen) -%}
  {%- set columns = {
    'snapshot_date': 'string', 'batch_id': 'bigint', 'dump_rows': 'bigint', 'dump_checksum': 'string', 'dump_files': 'string',
    'is_other': 'boolean', 'seen_at': 'timestamp',
  } -%}
  {%- set sql -%}
create table if not exists {{ deltawave._deliveries(job) }} (
    {%- for name, data_type in columns.items() %}
    {{ name }} {{ data_type }}{{ ',' if not loop.last }}
    {%- endfor %}
)
using {{ job.settings.file_format }}
  {%- endset -%}
  {%- do deltawave._run(job, sql) -%}
  {%- set sql -%}
insert into {{ deltawave._deliveries(job) }} ({{ columns.keys() | join(', ') }})
select /*+ coalesce(1) */
    *,
    current_timestamp() as seen_at
from values
    {%- for found in seen %}
    (
        {{ deltawave._literal(found.snapshot_date) }}, {{ record.batch_id }}L, {{ found.rows }}L, {{ deltawave._literal(found.checksum) }},
        cast({{ deltawave._literal(found.files) }} as string), {{ found.is_other | lower }}
    ){{ ',' if not loop.last }}
    {%- endfor %} as seen({{ (columns.keys() | list)[:-1] | join(', ') }})
  {%- endset -%}
  {%- do deltawave._run(job, sql) -%}
{%- endmacro -%}
