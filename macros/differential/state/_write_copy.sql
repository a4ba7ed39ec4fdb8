{# A copy of the dump. For Spark's join its rows are placed by the key's hash. A small copy is a single file. #}
{%- macro default___write_copy(job, batch, table, rows, columns) -%}
  {%- if job.is_small or not deltawave._may_join_in_files(job) -%}
    {{ return(deltawave._copy_dump(job, table, rows, columns)) }}
  {%- endif -%}
  {{ return(deltawave._copy_in_files(job, table, rows, columns)) }}
{%- endmacro -%}

{#
  A large copy that a Python library joins, and writes if it can read the dump where its files are: in a third of the
  time that Spark takes.
#}
{%- macro _copy_in_files(job, table, rows, columns) -%}
  {%- set relation = deltawave._attempt_relation(job, table) -%}
  {%- set names = deltawave._quoted_list(columns | map(attribute='name')) -%}
  {%- do deltawave._run(
    job,
    'create table ' ~ relation ~ ' (\n    ' ~ deltawave._definitions(columns) | join(',\n    ') ~ '\n)\nusing parquet'
  ) -%}
  {%- set select = 'select\n    ' ~ names | join(',\n    ') ~ '\nfrom (\n' ~ deltawave._indented(rows) ~ '\n)' -%}
  {%- set options = {'folder': deltawave._folder(job, relation), 'memory_bytes': job.settings.memory_bytes} -%}
  {%- if not adapter.call_library(
    'deltawave.differencing.stored_copies.write', {'rows': deltawave._in_parentheses(select)}, options
  ) -%}
    {%- do deltawave._run(job, 'insert overwrite ' ~ relation ~ '\n' ~ select) -%}
  {%- endif -%}
  {{ return({'has_hash': false}) }}
{%- endmacro -%}

{#
  Are copies joined by a Python library, where their files are? That takes a part of the time of Spark's join, and
  finds the same changes. Not if the log's rows need more than values of both: with a tolerance, or rows that are
  counted or set aside.
#}
{%- macro _may_join_in_files(job) -%}
  {%- set settings = job.settings -%}
  {%- set is_usual = settings.duplicate_keys == 'fail' and settings.before_image != 'none'
      and not settings.tolerance -%}
  {{ return(
    is_usual and not job.remote and job.strategy.comparison == '_changes_by_outer_join'
      and deltawave._is_read_by_duckdb(job)
  ) }}
{%- endmacro -%}

{# A state of whole rows, which every strategy takes over. #}
{%- macro _write_whole_rows(job, batch, rows, columns) -%}
  {%- set table = deltawave._own_table(batch, 'copy') -%}
  {{ return(dict(table, **deltawave._copy_dump(job, table, rows, columns))) }}
{%- endmacro -%}

{# Is this a copy without the key's hash, whose files a library reads where they are? #}
{%- macro _is_plain_copy(state) -%}{{ return(state.has_hash is sameas false) }}{%- endmacro -%}

{%- macro default___read_copy(job, batch, state) -%}
  {%- set relation = deltawave._attempt_relation(job, state) -%}
  {%- if not deltawave._is_plain_copy(state) -%}{{ return(relation) }}{%- endif -%}
  {{ return(
    '(\n    select copy.*, ' ~ deltawave._key_hash('copy', job.settings.unique_key) ~ ' as key_hash\n    from '
    ~ relation ~ ' as copy\n)'
  ) }}
{%- endmacro -%}

{%- macro _copy_dump(job, table, rows, columns) -%}
  {%- set sql -%}
{{ deltawave._create_by_hash(job, table, columns) }}
with dump as (
    {{ rows }}
)

select /*+ repartition({{ deltawave._buckets(job) }}, key_hash) */
    {{ deltawave._quoted_list(columns | map(attribute='name'), 'dump') | join(',\n    ') }},
    {{ deltawave._key_hash('dump', job.settings.unique_key) }} as key_hash
from dump
  {%- endset -%}
  {%- do deltawave._run(job, sql) -%}
  {{ return({}) }}
{%- endmacro -%}

{#
  The start of a statement that writes rows with these columns and key_hash: bucketed and sorted by it where Spark can.
#}
{%- macro _create_by_hash(job, table, columns) -%}
create table {{ deltawave._attempt_relation(job, table) }}
using {{ deltawave._state_format() }}
{{ deltawave._name_mapping(deltawave._state_format(), columns) }}
{% if deltawave._state_format() == 'parquet' -%}
clustered by (key_hash) sorted by (key_hash) into {{ deltawave._buckets(job) }} buckets
{% endif -%}
as
{%- endmacro -%}

{#
  The number of buckets: one for a small table, otherwise the session's number of shuffle partitions, so that the join
  is as parallel as any other. Queried once per run.
#}
{%- macro _buckets(job) -%}
  {%- if job.is_small -%}
    {{ return(1) }}
  {%- elif job.buckets is none -%}
    {%- set partitions = deltawave._setting(job, 'spark.sql.shuffle.partitions') | int(0) -%}
    {%- do deltawave._update(job, buckets=partitions if partitions > 0 else 200) -%}
  {%- endif -%}
  {{ return(job.buckets) }}
{%- endmacro -%}
