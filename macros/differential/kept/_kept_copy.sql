{#
  The kept side with the key's hash: the last copy, the last dump's files in place, or the rows that another strategy kept. A column that is compared
  for the first time, or with another tolerance, is compared with the log: the copy also holds changes that were not logged.
#}
{%- macro _kept_copy(job, batch, last) -%}
  {%- set is_in_log = deltawave._is_compared_otherwise(job, batch, last) and not batch.is_baseline -%}
  {%- do deltawave._update(batch, is_against_log=is_in_log or last.kept.kind == 'log') -%}
  {%- if deltawave._is_copy(last.kept) and not is_in_log -%}
    {{ return(deltawave._attempt_relation(job, last.kept)) }}
  {%- elif last.kept.kind == 'files' and job.strategy.keeps == 'files' and not is_in_log -%}
    {%- do deltawave._require_files(job, batch, [last.kept]) -%}
    {{ return(deltawave._rows_of_files(job, batch, last.kept)) }}
  {%- endif -%}
  {%- set known = deltawave._as_logged(last) if is_in_log else last -%}
  {%- set sql -%}
(
    select
        kept.*,
        {{ deltawave._key_hash('kept', job.settings.unique_key) }} as key_hash
    from (
        {{ deltawave._indented(deltawave._kept_rows(job, known, last.columns | selectattr('in_copy') | list)) }}
    ) as kept
)
  {%- endset -%}
  {{ return(sql) }}
{%- endmacro -%}

{# Does the batch compare a column that the last one did not compare, or with another tolerance? In a bag all columns are always compared. #}
{%- macro _is_compared_otherwise(job, batch, last) -%}
  {%- if job.settings.duplicate_keys == 'multiset' -%}{{ return(false) }}{%- endif -%}
  {%- set compared = {} -%}
  {%- for column in last.columns if column.is_compared -%}{%- do compared.update({column.name | lower: column.tolerance}) -%}{%- endfor -%}
  {%- for column in batch.columns if column.in_old and column.is_chosen and not column.is_key -%}
    {%- if compared.get(column.name | lower, 'no') != column.tolerance -%}{{ return(true) }}{%- endif -%}
  {%- endfor -%}
  {{ return(false) }}
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
