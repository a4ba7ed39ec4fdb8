{#
  Warns of gaps between the last compared date and those of this run. Warns before the decisions: where the warning is
  an error, the missing dump can still come first. An accepted run takes the gaps as they are, or one that is never
  filled would stop the model for good.
  record: the last decision, or none; pending: the dumps of this run, oldest first. Dates that are compared again were
  looked at before.
#}
{%- macro _warn_of_gaps(job, record, pending) -%}
  {%- if deltawave._is_accepted(job) -%}{{ return('') }}{%- endif -%}
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

{#
  The day of a dump as its date says it: that of a timestamp in the session's zone. Where the date is written
  otherwise, the day in UTC.
#}
{%- macro _day_of_dump(dump) -%}
  {%- set text = (dump.snapshot_date or '')[:10] -%}
  {{ return(text if deltawave._whole_match('[0-9]{4}-[0-9]{2}-[0-9]{2}', text) else dump.batch_at[:10]) }}
{%- endmacro -%}

{# Is there a day between two on which a dump is due? Three days in a row always have a weekday. #}
{%- macro _is_due_between(one, next, every) -%}
  {%- set first = modules.datetime.datetime.strptime(one, '%Y-%m-%d') -%}
  {%- set days = (modules.datetime.datetime.strptime(next, '%Y-%m-%d') - first).days -%}
  {%- for day in range(1, [days, 4] | min) if every == 'day'
      or (first + modules.datetime.timedelta(days=day)).weekday() < 5 -%}
    {{ return(true) }}
  {%- endfor -%}
  {{ return(false) }}
{%- endmacro -%}

{#
  Warns if the newest dated dump that the log has is older than warn_after. Called after the dumps were compared: a
  warning that dbt turns into an error must not keep out the very dump that was overdue. newest: the last decision.
#}
{%- macro _warn_of_age(job, newest) -%}
  {%- set limit = job.settings.warn_after -%}
  {%- set unit = {'minute': 60, 'hour': 3600, 'day': 86400}[limit['period']] -%}
  {%- set dated = modules.datetime.datetime.strptime(newest.batch_at, '%Y-%m-%dT%H:%M:%S.%fZ') -%}
  {%- set seconds = (run_started_at.astimezone(modules.pytz.utc).replace(tzinfo=none) - dated).total_seconds() -%}
  {%- if seconds > limit['count'] * unit -%}
    {%- do exceptions.warn(deltawave._message('overdue_dump', {
      'model': job.name, 'last': newest.snapshot_date or newest.batch_at,
      'age': '%.1f' | format(seconds / unit) ~ ' ' ~ limit['period'] ~ 's',
      'limit': deltawave._count(limit['count'], limit['period'], limit['period'] ~ 's'),
    })) -%}
  {%- endif -%}
{%- endmacro -%}

{#
  Warns of dates that came too late, and of compared dates that were delivered again with other rows (see
  _skipped_dates). What was read is recorded only after the warnings: if they are errors, nothing is.
#}
{%- macro _warn_of_skipped(job, record, known, skipped) -%}
  {%- set late, again = skipped.late, skipped.again -%}
  {%- do job.outcome.update(skipped=(late + again) | length) -%}
  {%- if late -%}
    {%- do exceptions.warn(deltawave._message('late_dates', {
      'model': job.name, 'dates': deltawave._some_dumps(job, late), 'last': record.snapshot_date,
      'batch': known.get(record.snapshot_date, {}).get('batch_id') or record.batch_id,
      'remedy': deltawave._rewind_to_before(job, record, known, late),
    })) -%}
  {%- endif -%}
  {%- if again -%}
    {%- set batches = [] -%}
    {%- for date in again -%}{%- do batches.append(known[date].batch_id) -%}{%- endfor -%}
    {%- do exceptions.warn(deltawave._message('redelivered_dates', {
      'model': job.name, 'dates': deltawave._some_dumps(job, again),
      'batches': ('batch ' if batches | length == 1 else 'batches ') ~ deltawave._some_of(batches | sort),
      'remedy': deltawave._rewind_to_before(job, record, known, again),
    })) -%}
  {%- endif -%}
  {%- if skipped.seen -%}{%- do deltawave._keep_deliveries(job, record, skipped.seen) -%}{%- endif -%}
{%- endmacro -%}

{# The first of some dumps, as they are ordered, for messages. #}
{%- macro _some_dumps(job, dates) -%}
  {%- set dumps = [] -%}
  {%- for date in dates -%}
    {%- do dumps.append({'date': date, 'order': deltawave._order_of_value(job, date)}) -%}
  {%- endfor -%}
  {{ return(deltawave._some_of(dumps | sort(attribute='order', case_sensitive=true) | map(attribute='date') | list)) }}
{%- endmacro -%}

{# The first of some values, for messages. #}
{%- macro _some_of(values) -%}
  {{ return(values[:5] | join(', ') ~ (' and ' ~ (values | length - 5) ~ ' more' if values | length > 5 else '')) }}
{%- endmacro -%}

{#
  How to undo the batches of some dates and the later ones, if the log has a batch before them. A log that began with a
  baseline lacks its first rows, so no earlier state can be rebuilt from it.
#}
{%- macro _rewind_to_before(job, record, known, dates) -%}
  {%- set orders = [] -%}
  {%- for date in dates -%}{%- do orders.append(deltawave._order_of_value(job, date)) -%}{%- endfor -%}
  {%- set first = (orders | sort(case_sensitive=true))[0] -%}
  {%- set earlier = [] -%}
  {%- for other, seen in known.items() if seen.is_compared and seen.batch_id >= record.first_batch
      and not record.is_baseline -%}
    {%- if deltawave._order_of_value(job, other) < first -%}{%- do earlier.append(seen.batch_id) -%}{%- endif -%}
  {%- endfor -%}
  {%- if earlier -%}
    {%- set command = "dbt run-operation deltawave.rewind --args '{model: " ~ job.name ~ ', to_batch: ' ~ earlier | max
        ~ "}'" -%}
    {{ return('To take them, undo the later batches, then run again: ' ~ command) }}
  {%- endif -%}
  {%- set way = 'begin a new generation: full_refresh: true in the config and --full-refresh once.' -%}
  {%- set why = 'began with initial_load: baseline, so it cannot be rewound' if record.is_baseline
      else 'holds no batch before them to rewind to' -%}
  {{ return('The log ' ~ why ~ '. To take them, ' ~ way) }}
{%- endmacro -%}
