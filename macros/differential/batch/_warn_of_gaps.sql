{#
  Warns of gaps between the last compared date and those of this run. Warns before the decisions: where the warning is an error, the missing dump can
  still come first. An accepted run takes the gaps as they are, or one that is never filled would stop the model for good.
  record: the last decision, or none; pending: the dumps of this run, oldest first. Dates that are compared again were looked at before.
#}
{%- macro _warn_of_gaps(job, record, pending) -%}
  {%- if not job.settings.every or deltawave._is_accepted(job) -%}{{ return('') }}{%- endif -%}
  {%- set dumps = [record] + pending | selectattr('batch_at', 'gt', record.batch_at) | list if record else pending -%}
  {%- set gaps = [] -%}
  {%- for one, next in zip(dumps, dumps[1:]) -%}
    {%- if deltawave._is_due_between(deltawave._day_of_dump(one), deltawave._day_of_dump(next), job.settings.every) -%}
      {%- do gaps.append(one.snapshot_date ~ ' and ' ~ next.snapshot_date) -%}
    {%- endif -%}
  {%- endfor -%}
  {%- if gaps -%}
    {%- do exceptions.warn(deltawave._message('missing_dates', {
      'model': job.name, 'gaps': deltawave._some_of(gaps), 'every': job.settings.every,
    })) -%}
  {%- endif -%}
{%- endmacro -%}

{# The day of a dump as its date says it: that of a timestamp in the session's zone. Where the date is written otherwise, the day in UTC. #}
{%- macro _day_of_dump(dump) -%}
  {%- set text = (dump.snapshot_date or '')[:10] -%}
  {{ return(text if modules.re.fullmatch('[0-9]{4}-[0-9]{2}-[0-9]{2}', text) else dump.batch_at[:10]) }}
{%- endmacro -%}

{# Is there a day between two on which a dump is due? Three days in a row always have a weekday. #}
{%- macro _is_due_between(one, next, every) -%}
  {%- set first = modules.datetime.datetime.strptime(one, '%Y-%m-%d') -%}
  {%- set days = (modules.datetime.datetime.strptime(next, '%Y-%m-%d') - first).days -%}
  {%- for day in range(1, [days, 4] | min) if every == 'day' or (first + modules.datetime.timedelta(days=day)).weekday() < 5 -%}
    {{ return(true) }}
  {%- endfor -%}
  {{ return(false) }}
{%- endmacro -%}
