{#
  Warns if the newest dated dump that the log has is older than warn_after. Called after the dumps were compared: a warning that dbt turns into an error
  must not keep out the very dump that was overdue. newest: the last decision, or none.
#}
{%- macro _warn_of_age(job, newest) -%}
  {%- set limit = job.settings.warn_after -%}
  {%- if not limit or not newest -%}{{ return('') }}{%- endif -%}
  {%- set unit = {'minute': 60, 'hour': 3600, 'day': 86400}[limit['period']] -%}
  {%- set dated = modules.datetime.datetime.strptime(newest.batch_at, '%Y-%m-%dT%H:%M:%S.%fZ') -%}
  {%- set seconds = (run_started_at.astimezone(modules.pytz.utc).replace(tzinfo=none) - dated).total_seconds() -%}
  {%- if seconds > limit['count'] * unit -%}
    {%- do exceptions.warn(deltawave._message('overdue_dump', {
      'model': job.name, 'last': newest.snapshot_date or newest.batch_at, 'age': '%.1f %ss' | format(seconds / unit, limit['period']),
      'limit': deltawave._count(limit['count'], limit['period'], limit['period'] ~ 's'),
    })) -%}
  {%- endif -%}
{%- endmacro -%}
