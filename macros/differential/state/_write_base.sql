{# The rows in the key's order, so that a few key ranges can be read without the rest. #}
{%- macro default___write_base(job, batch, table, rows, columns) -%}
  {%- set keys = deltawave._quoted_list(job.settings.unique_key) | join(', ') -%}
  {%- set sql -%}
create table {{ deltawave._attempt_relation(job, table) }}
using {{ deltawave._state_format() }}
{{ deltawave._name_mapping(deltawave._state_format(), columns) }}
as
with base as (
    {{ deltawave._indented(rows) }}
)

select /*+ repartition_by_range({{ deltawave._buckets(job) }}, {{ keys }}) */
    {{ deltawave._quoted_list(columns | map(attribute='name')) | join(',\n    ') }},
    {{ deltawave._key_hash('base', job.settings.unique_key) }} as key_hash
from base
sort by {{ keys }}
  {%- endset -%}
  {%- do deltawave._run(job, sql) -%}
  {{ return({}) }}
{%- endmacro -%}

{%- macro default___patched_base(job, batch, last) -%}
  {{ return(deltawave._previous_rows(job, last, last.columns | selectattr('in_copy') | list)) }}
{%- endmacro -%}
