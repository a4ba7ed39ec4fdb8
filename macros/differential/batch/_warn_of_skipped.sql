{#
  Warns of dates that came too late, and of compared dates that were delivered again with other rows. settled: dates that were not read, as their files
  are known; read: the others. What was read is recorded only after the warnings: if they are errors, nothing is.
#}
{%- macro _warn_of_skipped(job, record, known, settled, read) -%}
  {%- set late = [] -%}
  {%- set again = [] -%}
  {%- set seen = [] -%}
  {%- for date in settled -%}
    {%- if not known[date].is_compared -%}{%- do late.append(date) -%}{%- elif known[date].is_other -%}{%- do again.append(date) -%}{%- endif -%}
  {%- endfor -%}
  {%- for found in read -%}
    {%- set before = known.get(found.snapshot_date, {'is_compared': false}) -%}
    {%- set is_other = before.is_compared and deltawave._is_delivered_again(before, found) -%}
    {%- if not before.is_compared -%}{%- do late.append(found.snapshot_date) -%}{%- elif is_other -%}{%- do again.append(found.snapshot_date) -%}{%- endif -%}
    {%- set is_new = found.checksum[:8] not in [(before.checksum or '')[:8], (before.seen_checksum or '')[:8]] -%}
    {%- if found.files or (before.is_compared and is_new) -%}{%- do seen.append(dict(found, is_other=is_other)) -%}{%- endif -%}
  {%- endfor -%}
  {%- do job.outcome.update(skipped=(late + again) | length) -%}
  {%- if late -%}
    {%- do exceptions.warn(deltawave._message('late_dates', {
      'model': job.name, 'dates': deltawave._some_of(late), 'last': record.snapshot_date,
      'batch': known.get(record.snapshot_date, {}).get('batch_id') or record.batch_id,
      'remedy': deltawave._rewind_to_before(job, record, known, late),
    })) -%}
  {%- endif -%}
  {%- if again -%}
    {%- set batches = [] -%}
    {%- for date in again -%}{%- do batches.append(known[date].batch_id) -%}{%- endfor -%}
    {%- do exceptions.warn(deltawave._message('redelivered_dates', {
      'model': job.name, 'dates': deltawave._some_of(again),
      'batches': ('batch ' if batches | length == 1 else 'batches ') ~ deltawave._some_of(batches),
      'remedy': deltawave._rewind_to_before(job, record, known, again),
    })) -%}
  {%- endif -%}
  {%- if seen -%}{%- do deltawave._keep_deliveries(job, record, seen) -%}{%- endif -%}
{%- endmacro -%}

{#
  Are these other rows than those that were compared? If the checksums can't be compared, because the select was edited since, the number of rows
  decides, and changed files count as other rows: a correction must not be lost in silence.
#}
{%- macro _is_delivered_again(before, found) -%}
  {%- if found.rows != before.rows -%}
    {{ return(true) }}
  {%- elif before.checksum and before.checksum[:8] == found.checksum[:8] -%}
    {{ return(before.checksum != found.checksum) }}
  {%- elif before.seen_checksum and before.seen_checksum[:8] == found.checksum[:8] -%}
    {{ return(before.is_other or before.seen_checksum != found.checksum) }}
  {%- endif -%}
  {{ return(before.is_other or (before.files is not none and found.files is not none)) }}
{%- endmacro -%}

{# The first of some values, for messages. #}
{%- macro _some_of(values) -%}
  {%- set values = values | sort -%}
  {{ return(values[:5] | join(', ') ~ (' and ' ~ (values | length - 5) ~ ' more' if values | length > 5 else '')) }}
{%- endmacro -%}

{# How to undo the batches of some dates and the later ones, if the log has a batch before them. #}
{%- macro _rewind_to_before(job, record, known, dates) -%}
  {%- set orders = [] -%}
  {%- for date in dates -%}{%- do orders.append(deltawave._order_of_value(job, date)) -%}{%- endfor -%}
  {%- set first = orders | min(case_sensitive=true) -%}
  {%- set earlier = [] -%}
  {%- for other, seen in known.items() if seen.is_compared and seen.batch_id >= record.first_batch -%}
    {%- if deltawave._order_of_value(job, other) < first -%}{%- do earlier.append(seen.batch_id) -%}{%- endif -%}
  {%- endfor -%}
  {%- if earlier -%}
    {%- set command = "dbt run-operation deltawave.rewind --args '{model: " ~ job.name ~ ', to_batch: ' ~ earlier | max ~ "}'" -%}
    {{ return('To take them, undo the later batches, then run again: ' ~ command) }}
  {%- endif -%}
  {%- set way = 'begin a new generation: full_refresh: true in the config and --full-refresh once.' -%}
  {{ return('The log holds no batch before them to rewind to. To take them, ' ~ way) }}
{%- endmacro -%}
