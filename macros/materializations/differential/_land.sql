{#
  The new side, evaluated once and kept: bucketed and sorted by a hash of the key, so that neither this comparison nor the
  next one exchanges it (LG96 3.1 keeps the sorted file). The hash only places rows: keys themselves are compared.
#}
{%- macro _land(job, batch, last) -%}
  {%- do deltawave._require_known_rows(job, batch, last) -%}
  {%- if batch.is_slice -%}
    {%- do deltawave._land_slice(job, batch, last) -%}
  {%- else -%}
    {%- do deltawave._land_dump(job, batch, last) -%}
  {%- endif -%}
{%- endmacro -%}

{# A dump lands with all of its columns, a slice with those of the log. #}
{%- macro _landed_columns(job, batch) -%}
  {{ return(batch.columns if batch.is_slice else job.columns) }}
{%- endmacro -%}

{# A whole dump, to be compared with the whole kept side. #}
{%- macro _land_dump(job, batch, last) -%}
  {%- set select, condition = job.sql, '' -%}
  {%- if job.settings.snapshot_date -%}
    {%- set date = 'cast(' ~ deltawave._literal(batch.snapshot_date) ~ ' as ' ~ job.snapshot_type ~ ')' -%}
    {%- set condition = deltawave._quoted(job.settings.snapshot_date) ~ ' = ' ~ date -%}
    {%- if job.remote -%}
      {%- set select = deltawave._source_rows(job, deltawave._equal_at_remote(job, job.settings.snapshot_date, date)) -%}
    {%- endif -%}
  {%- endif -%}
  {%- do deltawave._create_copy(job, batch, select, job.columns, condition) -%}
  {%- if not batch.is_first -%}
    {%- do batch.update(old=deltawave._kept_copy(job, last)) -%}
  {%- endif -%}
{%- endmacro -%}

{# The kept side placed by the hash of the key: the last copy, or the rows that another strategy kept. #}
{%- macro _kept_copy(job, last) -%}
  {%- if last.kept.kind in ['copy', 'held'] -%}
    {{ return(deltawave._attempt_relation(job, last.kept)) }}
  {%- endif -%}
  {%- set sql -%}
(
    select
        kept.*,
        {{ deltawave._key_hash('kept', job.settings.unique_key) }} as key_hash
    from (
        {{ deltawave._indented(deltawave._kept_rows(job, last, last.columns | selectattr('in_copy') | list)) }}
    ) as kept
)
  {%- endset -%}
  {{ return(sql) }}
{%- endmacro -%}

{# Writes a side: the columns of a select, its rows placed by the hash of their key. #}
{%- macro _create_copy(job, batch, select, columns, condition='') -%}
  {%- set sql -%}
{{ deltawave._create_side(job, batch.landed, columns) }}
with dump as (
    {{ select }}
)

select /*+ repartition({{ deltawave._buckets(job) }}, key_hash) */
    {%- for column in columns %}
    dump.{{ deltawave._quoted(column.name) }},
    {%- endfor %}
    {{ deltawave._key_hash('dump', job.settings.unique_key) }} as key_hash
from dump
{%- if condition %}
where {{ condition }}
{%- endif -%}
  {%- endset -%}
  {%- do deltawave._run(job, sql) -%}
{%- endmacro -%}

{# The head of the statement that writes a side: where Spark can, bucketed and sorted by the hash of the key. #}
{%- macro _create_side(job, table, columns) -%}
create table {{ table }}
using {{ job.settings.copy_format }}
{{ deltawave._name_mapping(job.settings.copy_format, columns) }}
{% if job.settings.copy_format == 'parquet' -%}
clustered by (key_hash) sorted by (key_hash) into {{ deltawave._buckets(job) }} buckets
{% endif -%}
as
{%- endmacro -%}

{# Never null, whatever is null in the key; equal for keys that are equal, so it may decide where a row lies. #}
{%- macro _key_hash(alias, keys) -%}
  {%- set parts = [] -%}
  {%- for key in keys -%}
    {%- do parts.append(alias ~ '.' ~ deltawave._quoted(key)) -%}
  {%- endfor -%}
  xxhash64({{ parts | join(', ') }})
{%- endmacro -%}

{#
  The buckets of a side: those configured, else as many as the session would make partitions, so that the join runs as wide as any
  other. Asked once a run.
#}
{%- macro _buckets(job) -%}
  {%- if job.buckets is not defined -%}
    {%- set buckets = job.settings.buckets -%}
    {%- if not buckets -%}
      {%- set row = deltawave._run(job, 'set spark.sql.shuffle.partitions').rows[0] -%}
      {%- set buckets = row[1] | int if row[1] | string | int(0) > 0 else 200 -%}
    {%- endif -%}
    {%- do job.update(buckets=buckets) -%}
  {%- endif -%}
  {{ return(job.buckets) }}
{%- endmacro -%}
