{#
  The start of the statement that writes a side with these columns: bucketed and sorted by the key's hash where Spark can. A copy in the dump's
  order has no buckets and needs no shuffle: its files follow each other as the dump's parts do.
#}
{%- macro _create_side(job, table, columns, is_ordered=false) -%}
create table {{ table }}
using {{ job.settings.copy_format }}
{{ deltawave._name_mapping(job.settings.copy_format, columns) }}
{% if job.settings.copy_format == 'parquet' and not is_ordered -%}
clustered by (key_hash) sorted by (key_hash) into {{ deltawave._buckets(job) }} buckets
{% endif -%}
as
{%- endmacro -%}

{#
  The number of buckets of a side: as configured, otherwise the session's number of shuffle partitions, so that the join is as parallel as any
  other. Queried once per run.
#}
{%- macro _buckets(job) -%}
  {%- if job.buckets is none -%}
    {%- set buckets = job.settings.buckets -%}
    {%- if not buckets -%}
      {%- set row = deltawave._run(job, 'set spark.sql.shuffle.partitions').rows[0] -%}
      {%- set buckets = row[1] | int if row[1] | string | int(0) > 0 else 200 -%}
    {%- endif -%}
    {%- do deltawave._update(job, buckets=buckets) -%}
  {%- endif -%}
  {{ return(job.buckets) }}
{%- endmacro -%}
