{#
  The head of the statement that writes a side with these columns: where Spark can, bucketed and sorted by the hash of the key. A copy that keeps the
  order of the dump has neither buckets nor an exchange: its files follow each other as the dump's parts do.
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
  The buckets of a side: those configured, otherwise as many as the session would make partitions, so that the join runs as wide as any
  other. Asked once a run.
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
