{#
  The dumps that this run has to compare, oldest first. Without snapshot_date the select is one dump. With it, each
  date after the last accepted one is a dump, even if a source announces it and it has no rows. An earlier date that
  was never compared came too late, and a compared date may have been delivered again with other rows: both are skipped
  with a warning, unless redelivery: replace compares the latter again. Compared dates are not read if their files are
  the same as then. A new log starts at its first date with rows. If no date has rows, that is an empty dump.

  Returns {dumps, replaced, rewind_to}. replaced: the dates that are compared again; rewind_to: the batch to which the
  log has to be rewound before, or none for a new generation (see _undo_replaced). `state` may be one that a run is
  about to rewind to (see _replaced_dumps).
#}
{%- macro _pending_dumps(job, state) -%}
  {%- if not job.settings.snapshot_date -%}
    {%- set dump = {
      'snapshot_date': none, 'batch_at': deltawave._utc(run_started_at), 'files': none, 'checksum_of': none,
      'missing': [],
    } -%}
    {{ return({'dumps': [dump], 'replaced': [], 'rewind_to': none}) }}
  {%- endif -%}

  {#- A new generation compares all dates again. -#}
  {%- set record = none if state.is_new_generation else state.record -%}
  {%- set known = deltawave._known_dates(job, record) -%}
  {%- set files = deltawave._files_of_dates(job) -%}
  {%- set settled = [] -%}
  {%- for date, seen in known.items() if seen.files and seen.files == files.get(date) -%}
    {%- do settled.append(date) -%}
  {%- endfor -%}
  {%- set checksum_of = deltawave._checksum_of_dump(job) -%}
  {%- set last = deltawave._order_of_dump(job, record) if record else none -%}
  {%- set orders = [] -%}
  {%- set pending = [] -%}
  {%- set earlier = [] -%}
  {%- for found in deltawave._dates_of_select(job, settled) -%}
    {%- do orders.append(found.order) -%}
    {%- if not found.snapshot_date -%}
      {%- do deltawave._fail('null_snapshot_date', {
        'model': job.name, 'column': job.settings.snapshot_date, 'count': found.rows,
      }) -%}
    {%- elif found.batch_at == 'None' -%}
      {%- do deltawave._fail('snapshot_date_value', {
        'model': job.name, 'column': job.settings.snapshot_date, 'value': found.snapshot_date,
      }) -%}
    {%- elif record and record.get('adopted') and found.order <= record.adopted -%}
      {#- Skipped: the log began with a snapshot's rows, of this date or later. The date's dump may have others. -#}
    {%- elif found.snapshot_date in known or (last is not none and found.order <= last) -%}
      {%- do earlier.append(dict(
        found, files=files.get(found.snapshot_date), missing=deltawave._missing_columns(job, found)
      )) -%}
    {%- else -%}
      {%- do pending.append({
        'snapshot_date': found.snapshot_date, 'batch_at': found.batch_at, 'order': found.order,
        'files': files.get(found.snapshot_date), 'checksum_of': checksum_of,
        'missing': deltawave._missing_columns(job, found),
      }) -%}
    {%- endif -%}
  {%- endfor -%}
  {%- set skipped = deltawave._skipped_dates(known, settled, deltawave._with_checksums(job, earlier, checksum_of)) -%}
  {%- if skipped.again and job.settings.redelivery == 'replace' -%}
    {{ return(deltawave._replaced_dumps(job, state, known, skipped.again)) }}
  {%- elif record -%}
    {%- do deltawave._warn_of_skipped(job, record, known, skipped) -%}
  {%- endif -%}
  {%- set since = last if last is not none else ((orders | sort(case_sensitive=true))[0] if orders else none) -%}
  {%- for empty in deltawave._dumps_without_rows(job, orders, since) -%}
    {%- do pending.append(dict(empty, files=files.get(empty.snapshot_date), checksum_of=checksum_of, missing=[])) -%}
  {%- endfor -%}
  {%- if not pending and not record and not job.settings.allow_empty and not deltawave._is_accepted(job) -%}
    {%- do deltawave._fail('empty_dump', {
      'model': job.name, 'batch': (state.record.batch_id if state.record else 0) + 1, 'rows_old': 0,
    }) -%}
  {%- endif -%}
  {%- set dumps = pending | sort(attribute='order', case_sensitive=true) -%}
  {{ return({'dumps': dumps, 'replaced': [], 'rewind_to': state.get('rewind_to')}) }}
{%- endmacro -%}

{#
  The dates of the select, except the settled ones: [{snapshot_date, batch_at, order, rows, filled}]. filled: the
  number of values in columns that are missing in some header of the source.
#}
{%- macro _dates_of_select(job, settled) -%}
  {%- set column = 'dump.' ~ deltawave._quoted(job.settings.snapshot_date) -%}
  {%- set sparse = deltawave._sparse_columns(job) -%}
  {%- set sql -%}
with dump as (
    {{ job.sql }}
)

select
    cast({{ column }} as string) as snapshot_date,
    {{ deltawave._time_of_dump(job, column) }} as batch_at,
    count(*) as dump_rows
    {%- for name in sparse %},
    count(dump.{{ deltawave._quoted(name) }}) as filled_{{ loop.index }}
    {%- endfor %}
from dump
{%- if settled %}
where
    {{ column }} is null
    or {{ column }} not in ({{ deltawave._date_literals(job, settled) }}
    )
{%- endif %}
group by {{ column }}
order by {{ column }}
  {%- endset -%}
  {%- set dates = [] -%}
  {%- for row in deltawave._run(job, sql).rows -%}
    {%- set filled = {} -%}
    {%- for name in sparse -%}{%- do filled.update({name | lower: row[2 + loop.index] | int}) -%}{%- endfor -%}
    {%- set found = {'snapshot_date': row[0] if row[0] is none else row[0] | string, 'batch_at': row[1] | string} -%}
    {%- do dates.append(dict(found, order=deltawave._order_of_dump(job, found), rows=row[2] | int, filled=filled)) -%}
  {%- endfor -%}
  {{ return(dates) }}
{%- endmacro -%}

{#
  Adds to these dates, with their `missing` columns, the checksum and the number of their rows, both from one reading.
#}
{%- macro _with_checksums(job, found, checksum_of) -%}
  {%- if not found -%}{{ return([]) }}{%- endif -%}
  {%- set column = 'dump.' ~ deltawave._quoted(job.settings.snapshot_date) -%}
  {%- set sql -%}
with dump as (
    {{ job.sql }}
)

select
    cast({{ column }} as string) as snapshot_date,
    count(*) as dump_rows,
    {{ deltawave._exact_sums([checksum_of.hash]) }} as checksum
from dump
where
    {{ column }} in ({{ deltawave._date_literals(job, found | map(attribute='snapshot_date')) }}
    )
group by {{ column }}
  {%- endset -%}
  {%- set read = {} -%}
  {%- for row in deltawave._run(job, sql).rows -%}
    {%- do read.update({row[0] | string: {'rows': row[1] | int, 'sum': row[2]}}) -%}
  {%- endfor -%}
  {%- set dates = [] -%}
  {%- for date in found if date.snapshot_date in read -%}
    {%- set sums = read[date.snapshot_date] -%}
    {%- do dates.append(dict(
      date, rows=sums.rows, checksum=deltawave._before_sum(checksum_of, date.missing) ~ sums.sum
    )) -%}
  {%- endfor -%}
  {{ return(dates) }}
{%- endmacro -%}

{#
  What a dump's checksum begins with: its version, and the columns that the dump lacks. Rows without a column are other
  rows than those with nulls in it.
#}
{%- macro _before_sum(checksum_of, missing) -%}
  {{ return(([checksum_of.version] + missing | sort + ['']) | join(':')) }}
{%- endmacro -%}

{%- macro _date_literals(job, dates) -%}
{%- for date in dates %}
        cast({{ deltawave._literal(date) }} as {{ job.snapshot_type }}){{ ',' if not loop.last }}
{%- endfor -%}
{%- endmacro -%}

{#
  How the checksum of a dump is computed: {hash, version}. hash: that of a row, over the columns whose changes are
  logged. Checksums of different versions can't be compared: the select, or these columns, were others.
#}
{%- macro _checksum_of_dump(job) -%}
  {%- set compared = [] -%}
  {%- for column in job.select_columns -%}
    {%- if column.is_key or deltawave._compared_column(job.settings, column, true, true).is_chosen -%}
      {%- do compared.append({'name': column.name, 'data_type': column.data_type}) -%}
    {%- endif -%}
  {%- endfor -%}
  {%- set texts = [job.remote.select if job.remote else job.sql] -%}
  {%- for source in deltawave._models_below(model) -%}
    {%- do texts.append(deltawave._node_code(source)) -%}
  {%- endfor -%}
  {{ return({'hash': deltawave.row_checksum(compared), 'version': local_md5(tojson([texts | sort, compared]))[:8]}) }}
{%- endmacro -%}

{#
  The dumps of a run if dates were delivered again with other rows (`again`) and redelivery is replace: these dates,
  all later ones and the new ones. They are found as if the log were already rewound to before the first of these dates
  or, if it has no such batch, as for a new generation. Nothing is undone yet. Refused if a date whose batch would be
  undone is no longer there.
#}
{%- macro _replaced_dumps(job, state, known, again) -%}
  {%- set record = state.record -%}
  {%- set compared = known.values() | selectattr('is_compared') | list -%}
  {%- set first = compared | selectattr('snapshot_date', 'in', again) | map(attribute='batch_id') | min -%}
  {%- set earlier = compared | selectattr('batch_id', 'lt', first) | selectattr('batch_id', 'ge', record.first_batch) | list -%}
  {#- A log that began with a baseline lacks its first rows, so no earlier state can be rebuilt from it. -#}
  {%- set until = none if record.is_baseline or not earlier else earlier | sort(attribute='batch_id') | last -%}
  {%- if until -%}
    {%- set rewound = dict(
      record, rewound_to=until.batch_id, batch_at=until.batch_at, snapshot_date=until.snapshot_date
    ) -%}
    {%- set pending = deltawave._pending_dumps(job, dict(state, record=rewound, rewind_to=until.batch_id)) -%}
  {%- else -%}
    {%- set pending = deltawave._pending_dumps(job, dict(state, is_new_generation=true, rewind_to=none)) -%}
  {%- endif -%}
  {%- set undone = compared | selectattr('batch_id', 'gt', until.batch_id) | list if until else compared -%}
  {%- do deltawave._require_undone(job, undone, pending.dumps, again, until) -%}
  {{ return(dict(pending, replaced=again + pending.replaced)) }}
{%- endmacro -%}

{# Refuses to undo the batch of a date that is not compared again. #}
{%- macro _require_undone(job, undone, dumps, again, until) -%}
  {%- set there = dumps | map(attribute='order') | list -%}
  {%- set missing = [] -%}
  {%- for dump in undone if deltawave._order_of_dump(job, dump) not in there -%}
    {%- do missing.append(dump.snapshot_date) -%}
  {%- endfor -%}
  {%- if missing -%}
    {%- set by_hand = 'set full_refresh: true and run once with --full-refresh' -%}
    {%- if until -%}
      {%- set by_hand = "dbt run-operation deltawave.rewind --args '{model: " ~ job.name ~ ', to_batch: '
          ~ until.batch_id ~ "}', then run again" -%}
    {%- endif -%}
    {%- do deltawave._fail('replaced_dates', {
      'model': job.name, 'dates': deltawave._some_dumps(job, again), 'missing': deltawave._some_dumps(job, missing),
      'by_hand': by_hand,
    }) -%}
  {%- endif -%}
{%- endmacro -%}
