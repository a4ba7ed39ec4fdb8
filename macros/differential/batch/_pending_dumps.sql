{#
  The dumps that this run has to compare, oldest first. Without snapshot_date the select is one dump. With it, each date after the last accepted
  one is a dump, even if a source announces it and it has no rows. An earlier date that was never compared came too late and is skipped with a
  warning; so is a compared date whose number of rows is now different. A new log starts at its first date with rows. If no date has rows, that is
  an empty dump.
#}
{%- macro _pending_dumps(job, state) -%}
  {%- if not job.settings.snapshot_date -%}
    {{ return([{'snapshot_date': none, 'batch_at': deltawave._utc(run_started_at)}]) }}
  {%- endif -%}

  {%- set column = 'dump.' ~ deltawave._quoted(job.settings.snapshot_date) -%}
  {%- set sql -%}
with dump as (
    {{ job.sql }}
)

select
    cast({{ column }} as string) as snapshot_date,
    {{ deltawave._utc_text(deltawave._instant(job, column)) }} as batch_at,
    count(*) as dump_rows
from dump
group by {{ column }}
order by {{ column }}
  {%- endset -%}
  {#- A new generation compares all dates again. -#}
  {%- set record = none if state.is_new_generation else state.record -%}
  {%- set known = deltawave._compared_dates(job, record) -%}
  {%- set last = record.snapshot_date if record else none -%}
  {%- set last_at = record.batch_at if record else none -%}
  {%- set seen = [] -%}
  {%- set pending = [] -%}
  {%- set late = [] -%}
  {%- set again = [] -%}
  {%- for row in deltawave._run(job, sql).rows -%}
    {%- do seen.append(row[1] | string) -%}
    {%- if row[0] is none -%}
      {%- do deltawave._fail('null_snapshot_date', {'model': job.name, 'column': job.settings.snapshot_date, 'count': row[2]}) -%}
    {%- elif row[1] is none -%}
      {%- do deltawave._fail('snapshot_date_value', {'model': job.name, 'column': job.settings.snapshot_date, 'value': row[0]}) -%}
    {%- elif row[0] | string in known -%}
      {%- if known[row[0] | string] != row[2] | int -%}{%- do again.append(row[0] | string) -%}{%- endif -%}
    {%- elif last_at is not none and row[1] | string <= last_at -%}
      {%- do late.append(row[0] | string) -%}
    {%- else -%}
      {%- do pending.append({'snapshot_date': row[0] | string, 'batch_at': row[1] | string}) -%}
    {%- endif -%}
  {%- endfor -%}
  {%- do job.outcome.update(skipped=(late + again) | length) -%}
  {%- if late -%}
    {%- do exceptions.warn(deltawave._message('late_dates', {'model': job.name, 'dates': late | join(', '), 'last': last})) -%}
  {%- endif -%}
  {%- if again -%}
    {%- do exceptions.warn(deltawave._message('redelivered_dates', {'model': job.name, 'dates': again | join(', ')})) -%}
  {%- endif -%}
  {%- set since = last_at if last_at is not none else (seen | min if seen else '') -%}
  {%- set dumps = (pending + deltawave._dumps_without_rows(job, seen, since)) | sort(attribute='batch_at') -%}
  {%- if not dumps and not record and not job.settings.allow_empty and not deltawave._is_accepted(job) -%}
    {%- do deltawave._fail('empty_dump', {'model': job.name, 'batch': (state.record.batch_id if state.record else 0) + 1, 'rows_old': 0}) -%}
  {%- endif -%}
  {{ return(dumps) }}
{%- endmacro -%}

{# {date: rows of its dump} of all batches of this generation. #}
{%- macro _compared_dates(job, record) -%}
  {%- set known = {} -%}
  {%- if record -%}
    {%- set sql -%}
select distinct snapshot_date, rows_dump
from {{ deltawave._standing_batches(job.batches) }}
where batch_id >= {{ record.generation }} and snapshot_date is not null
    {%- endset -%}
    {%- for row in deltawave._run(job, sql).rows -%}
      {%- do known.update({row[0] | string: row[1] | int}) -%}
    {%- endfor -%}
  {%- endif -%}
  {{ return(known) }}
{%- endmacro -%}
