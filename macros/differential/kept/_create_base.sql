{# The kept side in key order, so that a few key ranges can be read without the rest. #}
{%- macro _create_base(job, table, select, columns) -%}
  {%- set keys = deltawave._quoted_list(job.settings.unique_key) | join(', ') -%}
  {%- set sql -%}
create table {{ table }}
using {{ job.settings.copy_format }}
{{ deltawave._name_mapping(job.settings.copy_format, columns) }}
as
with side as (
    {{ deltawave._indented(select) }}
)

select /*+ repartition_by_range({{ deltawave._buckets(job) }}, {{ keys }}) */
    {%- for column in columns %}
    {{ deltawave._quoted(column.name) }},
    {%- endfor %}
    {{ deltawave._key_hash('side', job.settings.unique_key) }} as key_hash
from side
sort by {{ keys }}
  {%- endset -%}
  {%- do deltawave._run(job, sql) -%}
{%- endmacro -%}
