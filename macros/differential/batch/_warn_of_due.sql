{#
  Warns of dated dumps that are due and have not come: if the newest one that the log will have is older than warn_after, and if there are gaps between
  the last compared date and those of this run. Warns before the decisions: a warning that dbt turns into an error must leave nothing decided.
  record: the last decision, or none; pending: the dumps of this run, oldest first.
#}
{%- macro _warn_of_due(job, record, pending) -%}
  {%- set dumps = ([record] if record else []) + pending -%}
  {%- if dumps and job.settings.warn_after -%}{%- do deltawave._warn_of_age(job, dumps | last) -%}{%- endif -%}
  {%- if dumps and job.settings.every -%}{%- do deltawave._warn_of_gaps(job, dumps) -%}{%- endif -%}
{%- endmacro -%}

{%- macro _warn_of_age(job, newest) -%}
  {%- set limit = job.settings.warn_after -%}
  {%- set unit = {'minute': 60, 'hour': 3600, 'day': 86400}[limit['period']] -%}
  {%- set dated = modules.datetime.datetime.strptime(newest.batch_at, '%Y-%m-%dT%H:%M:%S.%fZ') -%}
  {%- set seconds = (run_started_at.astimezone(modules.pytz.utc).replace(tzinfo=none) - dated).total_seconds() -%}
  {%- if seconds > limit['count'] * unit -%}
    {%- do exceptions.warn(deltawave._message('overdue_dump', {
      'model': job.name, 'last': newest.snapshot_date, 'age': '%.1f %ss' | format(seconds / unit, limit['period']),
      'limit': deltawave._count(limit['count'], limit['period'], limit['period'] ~ 's'),
    })) -%}
  {%- endif -%}
{%- endmacro -%}

{%- macro _warn_of_gaps(job, dumps) -%}
  {%- set gaps = [] -%}
  {%- for one, next in zip(dumps, dumps[1:]) -%}
    {%- if deltawave._is_due_between(one.batch_at, next.batch_at, job.settings.every) -%}
      {%- do gaps.append(one.snapshot_date ~ ' and ' ~ next.snapshot_date) -%}
    {%- endif -%}
  {%- endfor -%}
  {%- if gaps -%}
    {%- do exceptions.warn(deltawave._message('missing_dates', {
      'model': job.name, 'gaps': deltawave._some_of(gaps), 'every': job.settings.every,
    })) -%}
  {%- endif -%}
{%- endmacro -%}

{# Is there a day between two dates on which a dump is due? Three days in a row always have a weekday. #}
{%- macro _is_due_between(one, next, every) -%}
  {%- set first = modules.datetime.datetime.strptime(one[:10], '%Y-%m-%d') -%}
  {%- set days = (modules.datetime.datetime.strptime(next[:10], '%Y-%m-%d') - first).days -%}
  {%- for day in range(1, [days, 4] | min) if every == 'day' or (first + modules.datetime.timedelta(days=day)).weekday() < 5 -%}
    {{ return(true) }}
  {%- endfor -%}
  {{ return(false) }}
{%- endmacro -%}
