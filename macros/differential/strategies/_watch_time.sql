{#
  The next high-water mark, which never goes back. Rows ahead of the run's own clock do not move it: one row in the far
  future would hide everything before it. A row more than a day ahead is also ignored by the clock check. The check
  fails if no other row is as recent as the newest one read before: then the source has lost rows, or its clock was set
  back.
#}
{%- macro _watch_time(job, batch, since) -%}
  {%- set updated_at = deltawave._quoted(job.settings.updated_at) -%}
  {%- set clock = deltawave._run_clock(job, batch) -%}
  {%- set last_mark = deltawave._bound_literal(since.high_water, job.time_type) if since.high_water else none -%}
  {%- set moment = deltawave._until(updated_at, clock.limit) -%}
  {%- set mark = 'max(' ~ moment ~ ')' -%}
  {%- if last_mark -%}{%- set mark = 'greatest(' ~ mark ~ ', ' ~ last_mark ~ ')' -%}{%- endif -%}
  {#- Flagged rows may be removed at the source, so only the newest live row has to be there again. -#}
  {%- set newest = 'max(if(is_flagged, null, ' ~ moment ~ '))' -%}
  {%- set newest = 'if(' ~ newest ~ ' >= ' ~ mark ~ ', ' ~ newest ~ ', null)' -%}
  {%- set reached = 'true' -%}
  {%- if since.newest -%}
    {#- The run's own clock may go back, too. -#}
    {%- set known = deltawave._until(
      updated_at, 'greatest(' ~ clock.future ~ ', ' ~ last_mark ~ ')' if clock.future else none
    ) -%}
    {%- set reached = 'max(' ~ known ~ ') >= ' ~ deltawave._bound_literal(since.newest, job.time_type) -%}
  {%- endif -%}
  {%- set sql -%}
select
    {{ deltawave._bound_text(mark, job.time_type) }} as high_water,
    {{ deltawave._bound_text(newest, job.time_type) }} as newest,
    coalesce({{ reached }}, false) as is_reached,
    count_if({{ updated_at }} is null) as without_time,
    count_if(is_flagged is null) as without_flag,
    {{ 'count_if(' ~ updated_at ~ ' > ' ~ clock.future ~ ')' if clock.future else 0 }} as ahead,
    count(*) as row_count
from {{ batch.landed }}
  {%- endset -%}
  {%- set row = deltawave._run(job, sql).rows[0] -%}
  {%- set settings = job.settings -%}
  {%- if row[3] | int and settings.null_timestamp == 'fail' -%}
    {%- do deltawave._refuse(job, batch, 'null_timestamp', {'column': settings.updated_at, 'count': row[3]}) -%}
  {%- endif -%}
  {%- if row[4] | int -%}
    {%- do deltawave._refuse(job, batch, 'null_flag', {'flag': settings.delete_flag, 'count': row[4]}) -%}
  {%- endif -%}
  {%- set ahead = {'column': settings.updated_at, 'count': row[5]} -%}
  {%- if row[5] | int and settings.future_timestamp == 'fail' -%}
    {%- do deltawave._refuse(job, batch, 'future_timestamp', ahead) -%}
  {%- endif -%}
  {%- if row[2] | string | lower != 'true' -%}
    {%- do deltawave._refuse(job, batch, 'clock_back', {
      'column': settings.updated_at, 'was': since.newest,
      'is': deltawave._newest_of_source(job, clock.future) or 'no row',
    }) -%}
  {%- endif -%}
  {#- A slice may be empty because nothing is new. A source without rows is an empty dump. -#}
  {%- set is_suspicious = row[6] | int == 0 and batch.rows_old and not settings.allow_empty
      and not deltawave._is_accepted(job) -%}
  {%- if is_suspicious and not deltawave._run(job, deltawave._any_row(job)).rows -%}
    {%- do deltawave._refuse(job, batch, 'empty_dump', {'rows_old': batch.rows_old}) -%}
  {%- endif -%}
  {%- if row[5] | int and settings.future_timestamp == 'warn' -%}
    {%- do exceptions.warn(deltawave._message('future_warning', dict(ahead, model=job.name, batch=batch.label))) -%}
  {%- endif -%}
  {{ return({'high_water': row[0], 'newest': row[1]}) }}
{%- endmacro -%}

{#
  The run's own clock when it began to read. limit: the highest possible mark. future: later rows are ahead for
  certain; clocks may differ by a day, and so may times without a time zone. None for a counter.
#}
{%- macro _run_clock(job, batch) -%}
  {%- set now = deltawave._timestamp(deltawave._utc(batch.started_at)) -%}
  {%- set next_day = {
    'timestamp': now ~ " + interval '1 day'",
    'timestamp_ntz': deltawave._utc_time(now) ~ " + interval '1 day'",
    'date': 'cast(' ~ deltawave._utc_time(now) ~ ' as date) + 1',
  }.get(job.time_type) -%}
  {{ return({'limit': now if job.time_type == 'timestamp' else next_day, 'future': next_day}) }}
{%- endmacro -%}

{%- macro _until(expression, limit) -%}
  {{ return('if(' ~ expression ~ ' <= ' ~ limit ~ ', ' ~ expression ~ ', null)' if limit else expression) }}
{%- endmacro -%}

{%- macro _newest_of_source(job, limit) -%}
  {%- set newest = 'max(' ~ deltawave._until(deltawave._quoted(job.settings.updated_at), limit) ~ ')' -%}
  {%- set sql = 'select ' ~ deltawave._bound_text(newest, job.time_type) ~ ' as newest from (\n' ~ job.sql ~ '\n)' -%}
  {{ return(deltawave._run(job, sql).rows[0][0]) }}
{%- endmacro -%}

{#
  Refuses an updated_at column that is neither a time nor a counter, or that contradicts an option for the other kind.
#}
{%- macro _check_time_column(job, column) -%}
  {%- set is_counter = deltawave._whole_match('(tiny|small|big)?int|decimal\\(\\d+,0\\)', column.data_type) -%}
  {%- if column.data_type not in ['timestamp', 'timestamp_ntz', 'date'] and not is_counter -%}
    {%- do deltawave._fail('time_type', {'model': job.name, 'column': column.name, 'type': column.data_type}) -%}
  {%- endif -%}
  {%- if job.settings.overlap is string and is_counter or job.settings.overlap is integer and job.settings.overlap
      and not is_counter -%}
    {%- do deltawave._fail('overlap_type', {
      'model': job.name, 'column': column.name, 'type': column.data_type, 'overlap': job.settings.overlap,
    }) -%}
  {%- endif -%}
  {%- if job.settings.future_timestamp == 'fail' and is_counter -%}
    {%- do deltawave._fail('future_counter', {'model': job.name, 'column': column.name, 'type': column.data_type}) -%}
  {%- endif -%}
{%- endmacro -%}
