{#
  How many such comparisons (daily ones in the paper) are expected before a checksum hides a change (LG96 3.2, equation 2): the inverse of
  1 - (1 - 2^-bits)^checksums. As in the paper, every compared checksum counts, for the worst case. Null without checksums.
#}
{%- macro _comparisons_before_error(checksums, bits) -%}
  {{ return('-1 / expm1(' ~ checksums ~ ' * log1p(-power(2d, -' ~ bits ~ ')))' if checksums else 'cast(null as double)') }}
{%- endmacro -%}

{# The decided batch's row in x__batches, by which the view also distinguishes its attempt from others. #}
{%- macro _record_batch(job, record) -%}
  {%- set sql -%}
insert into {{ job.batches }} ({{ deltawave._batches_columns().keys() | join(', ') }}, batch_id)
select
    {{ deltawave._literal(record.attempt) }} as attempt,
    {{ deltawave._timestamp(record.batch_at) }} as batch_at,
    {{ deltawave._literal(record.snapshot_date) }} as snapshot_date,
    cast({{ deltawave._literal(record.get('dump_files')) }} as string) as dump_files,
    cast({{ deltawave._literal(record.get('dump_checksum')) }} as string) as dump_checksum,
    {{ deltawave._literal(record.strategy) }} as strategy,
    {{ deltawave._literal(record.reason) }} as reason,
    {{ record.rows_old }} as rows_old,
    {{ record.rows_dump }} as rows_dump,
    {{ record.rows_new }} as rows_new,
    {{ record.quarantined }} as quarantined,
    {{ record.inserts }} as inserts,
    {{ record.deletes }} as deletes,
    {{ record.updates }} as updates,
    {{ record.backfilled }} as backfilled,
    {{ record.seconds }} as seconds,
    {{ deltawave._comparisons_before_error(record.checksums or 0, record.checksum_bits) }} as comparisons_before_error,
    {{ deltawave._timestamp(record.decided_at) }} as decided_at,
    cast({{ deltawave._literal(record.rewound_to) }} as bigint) as rewound_to,
    {%- for name, data_type in deltawave._measured_columns().items() %}
    {%- set figure = (record.measured or {}).get(name) %}
    try_cast({{ 'null' if figure is none else figure }} as {{ data_type }}) as {{ name }},
    {%- endfor %}
    {{ record.batch_id }} as batch_id
  {%- endset -%}
  {%- do deltawave._run(job, sql) -%}
{%- endmacro -%}
