{%- macro _create_batches(job) -%}
  {%- set sql -%}
create table if not exists {{ job.batches }} (
    {%- for name, data_type in deltawave._batches_columns().items() %}
    {{ name }} {{ data_type }},
    {%- endfor %}
    batch_id bigint
)
using {{ job.settings.file_format }}
partitioned by (batch_id)
  {%- endset -%}
  {%- do deltawave._run(job, sql) -%}
  {%- set columns = [] -%}
  {%- for name, data_type in deltawave._batches_columns().items() -%}
    {%- do columns.append({'name': name, 'data_type': data_type}) -%}
  {%- endfor -%}
  {#- An older version may have created the table; see _recover. -#}
  {%- do deltawave._add_columns(job, job.batches, columns) -%}
{%- endmacro -%}

{# x__batches, without its partition column batch_id. #}
{%- macro _batches_columns() -%}
  {{ return(dict({
    'attempt': 'string',
    'batch_at': 'timestamp',
    'snapshot_date': 'string',
    'dump_files': 'string',
    'dump_checksum': 'string',
    'strategy': 'string',
    'reason': 'string',
    'rows_old': 'bigint',
    'rows_dump': 'bigint',
    'rows_new': 'bigint',
    'quarantined': 'bigint',
    'inserts': 'bigint',
    'deletes': 'bigint',
    'updates': 'bigint',
    'backfilled': 'bigint',
    'seconds': 'double',
    'comparisons_before_error': 'double',
    'decided_at': 'timestamp',
    'rewound_to': 'bigint',
  }, **deltawave._measured_columns())) }}
{%- endmacro -%}

{# Figures that a comparison in Python may measure, whole numbers or doubles. #}
{%- macro _measured_columns() -%}
  {{ return({'distance': 'double', 'divergence': 'double', 'window_rows': 'bigint'}) }}
{%- endmacro -%}

{#
  x__batches without the batches that a rewind has undone. Their rows stay, for readers of the older view; the rewind's own row names them. until:
  a batch; later rewinds are ignored.
#}
{%- macro _standing_batches(batches, until=none) -%}
(
    select batches.*
    from {{ batches }} as batches
    left anti join {{ batches }} as rewinds
        on rewinds.rewound_to < batches.batch_id
        and rewinds.batch_id > batches.batch_id
        {%- if until is not none %}
        and rewinds.batch_id <= {{ until }}
        {%- endif %}
)
{%- endmacro -%}
