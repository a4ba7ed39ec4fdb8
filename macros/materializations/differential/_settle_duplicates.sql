{#
  What becomes of keys that stand more than once: a dump that has some is refused, or goes on without them, or is taken as a bag of rows
  (LG95 4.6), as duplicate_keys says.
#}
{%- macro _settle_duplicates(job, batch, key_count, row_count) -%}
  {%- if job.settings.duplicate_keys != 'multiset' -%}
    {%- set duplicates = {
      'keys': job.settings.unique_key | join(', '),
      'count': key_count,
      'examples': deltawave._duplicate_examples(job, batch),
    } -%}
    {%- if job.settings.duplicate_keys == 'fail' -%}
      {%- do deltawave._refuse(job, batch, 'duplicate_key', duplicates) -%}
    {%- elif deltawave._warnings_are_errors() -%}
      {%- do deltawave._refuse(job, batch, 'quarantine_is_error', duplicates) -%}
    {%- endif -%}
    {%- do batch.update(quarantined=row_count, duplicates=duplicates) -%}
    {%- do deltawave._hold(job, batch) -%}
  {%- endif -%}
{%- endmacro -%}

{# The keys that stand more than once in the landed dump. #}
{%- macro _duplicates(job, batch) -%}
  {%- set keys = deltawave._quoted_list(job.settings.unique_key) | join(', ') -%}
select
    key_hash,
    {{ keys }}
from {{ batch.arrived }}
group by key_hash, {{ keys }}
having count(*) > 1
{%- endmacro -%}

{%- macro _duplicate_examples(job, batch) -%}
  {%- set keys = deltawave._quoted_list(job.settings.unique_key) -%}
  {%- set sql -%}
select concat_ws(', ', {% for key in keys %}coalesce(cast({{ key }} as string), 'null'){{ ', ' if not loop.last }}{% endfor %}) as example
from {{ batch.arrived }}
group by {{ keys | join(', ') }}
having count(*) > 1
order by example
limit 3
  {%- endset -%}
  {%- set examples = [] -%}
  {%- for row in deltawave._run(job, sql).rows -%}
    {%- do examples.append('(' ~ row[0] ~ ')') -%}
  {%- endfor -%}
  {{ return(examples | join(', ')) }}
{%- endmacro -%}
