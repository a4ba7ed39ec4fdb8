{# Counts what was staged, by kind of change. #}
{%- macro _count_changes(job, batch) -%}
  {%- set sql -%}
select
    change_type,
    count(*) as change_count
from {{ batch.log }}
where batch_id = {{ batch.batch_id }} and attempt = {{ deltawave._literal(batch.attempt) }}
group by change_type
  {%- endset -%}
  {%- set counts = {'insert': 0, 'delete': 0, 'update': 0} -%}
  {%- for row in deltawave._run(job, sql).rows -%}
    {%- do counts.update({row[0]: row[1] | int}) -%}
  {%- endfor -%}
  {%- do batch.update(counts=counts) -%}
{%- endmacro -%}

{# The same dump again makes no batch; a dated one does, so that its date is known, and one of which rows were set aside. #}
{%- macro _is_unchanged(batch) -%}
  {%- set changes = batch.counts['insert'] + batch.counts['delete'] + batch.counts['update'] -%}
  {{ return(
    changes == 0 and not batch.quarantined and not batch.is_first and not batch.snapshot_date
    and not batch.columns | rejectattr('in_old') | list
  ) }}
{%- endmacro -%}
