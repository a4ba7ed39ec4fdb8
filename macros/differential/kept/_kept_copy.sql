{# The kept side with the key's hash: the last copy, or the rows that another strategy kept. #}
{%- macro _kept_copy(job, last) -%}
  {%- if last.kept.kind in ['copy', 'accepted', 'ordered'] -%}
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

{# Writes a side: a select's columns, with rows placed by the key's hash or, with is_ordered, in their own order. #}
{%- macro _create_copy(job, batch, select, columns, condition='', is_ordered=false) -%}
  {%- set sql -%}
{{ deltawave._create_side(job, batch.landed, columns, is_ordered) }}
with dump as (
    {{ select }}
)

select{{ '' if is_ordered else ' /*+ repartition(' ~ deltawave._buckets(job) ~ ', key_hash) */' }}
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
