{# A copy of the dump, its rows placed by the key's hash. #}
{%- macro default___write_copy(job, batch, table, rows, columns) -%}
  {{ return(deltawave._copy_dump(job, table, rows, columns, is_ordered=false)) }}
{%- endmacro -%}

{# A copy in the dump's order. It needs no exchange: its files follow each other as the dump's parts do. #}
{%- macro default___write_ordered(job, batch, table, rows, columns) -%}
  {{ return(deltawave._copy_dump(job, table, rows, columns, is_ordered=true)) }}
{%- endmacro -%}

{%- macro default___read_copy(job, batch, state) -%}
  {{ return(deltawave._attempt_relation(job, state)) }}
{%- endmacro -%}

{%- macro _copy_dump(job, table, rows, columns, is_ordered) -%}
  {%- set sql -%}
{{ deltawave._create_by_hash(job, table, columns, is_ordered) }}
with dump as (
    {{ rows }}
)

select{{ '' if is_ordered else ' /*+ repartition(' ~ deltawave._buckets(job) ~ ', key_hash) */' }}
    {{ deltawave._quoted_list(columns | map(attribute='name'), 'dump') | join(',\n    ') }},
    {{ deltawave._key_hash('dump', job.settings.unique_key) }} as key_hash
from dump
  {%- endset -%}
  {%- do deltawave._run(job, sql) -%}
  {{ return({}) }}
{%- endmacro -%}

{# The start of a statement that writes rows with these columns and key_hash: bucketed and sorted by it where Spark can. #}
{%- macro _create_by_hash(job, table, columns, is_ordered=false) -%}
create table {{ deltawave._attempt_relation(job, table) }}
using {{ job.settings.copy_format }}
{{ deltawave._name_mapping(job.settings.copy_format, columns) }}
{% if job.settings.copy_format == 'parquet' and not is_ordered -%}
clustered by (key_hash) sorted by (key_hash) into {{ deltawave._buckets(job) }} buckets
{% endif -%}
as
{%- endmacro -%}

{#
  The number of buckets: as configured, otherwise one for a small table, or the session's number of shuffle partitions, so that the join is as parallel as
  any other. Queried once per run.
#}
{%- macro _buckets(job) -%}
  {%- if job.is_small and not job.settings.buckets -%}
    {{ return(1) }}
  {%- elif job.buckets is none -%}
    {%- set buckets = job.settings.buckets -%}
    {%- if not buckets -%}
      {%- set partitions = deltawave._setting(job, 'spark.sql.shuffle.partitions') | int(0) -%}
      {%- set buckets = partitions if partitions > 0 else 200 -%}
    {%- endif -%}
    {%- do deltawave._update(job, buckets=buckets) -%}
  {%- endif -%}
  {{ return(job.buckets) }}
{%- endmacro -%}

{# Tables that had up to this many rows lie in one file: each task costs more than it saves. #}
{%- macro default___small_rows() -%}{{ return(100000) }}{%- endmacro -%}
