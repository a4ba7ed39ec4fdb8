{#
  Warns of dates that came too late, and of compared dates that were delivered again with other rows (see _skipped_dates). What was read is recorded only
  after the warnings: if they are errors, nothing is.
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
  {%- for date in dates -%}{%- do dumps.append({'date': date, 'order': deltawave._order_of_value(job, date)}) -%}{%- endfor -%}
  {{ return(deltawave._some_of(dumps | sort(attribute='order', case_sensitive=true) | map(attribute='date') | list)) }}
{%- endmacro -%}

{# The first of some values, for messages. #}
{%- macro _some_of(values) -%}
  {{ return(values[:5] | join(', ') ~ (' and ' ~ (values | length - 5) ~ ' more' if values | length > 5 else '')) }}
{%- endmacro -%}

{#
  How to undo the batches of some dates and the later ones, if the log has a batch before them. A log that began with a baseline lacks its first rows, so no
  earlier state can be rebuilt from it.
#}
{%- macro _rewind_to_before(job, record, known, dates) -%}
  {%- set orders = [] -%}
  {%- for date in dates -%}{%- do orders.append(deltawave._order_of_value(job, date)) -%}{%- endfor -%}
  {%- set first = orders | min(case_sensitive=true) -%}
  {%- set earlier = [] -%}
  {%- for other, seen in known.items() if seen.is_compared and seen.batch_id >= record.first_batch and not record.is_baseline -%}
    {%- if deltawave._order_of_value(job, other) < first -%}{%- do earlier.append(seen.batch_id) -%}{%- endif -%}
  {%- endfor -%}
  {%- if earlier -%}
    {%- set command = "dbt run-operation deltawave.rewind --args '{model: " ~ job.name ~ ', to_batch: ' ~ earlier | max ~ "}'" -%}
    {{ return('To take them, undo the later batches, then run again: ' ~ command) }}
  {%- endif -%}
  {%- set way = 'begin a new generation: full_refresh: true in the config and --full-refresh once.' -%}
  {%- set why = 'began with initial_load: baseline, so it cannot be rewound' if record.is_baseline else 'holds no batch before them to rewind to' -%}
  {{ return('The log ' ~ why ~ '. To take them, ' ~ way) }}
{%- endmacro -%}
