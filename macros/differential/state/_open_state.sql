{#
  The last record, with the state and the ranges that this batch is compared with. A slice is patched onto a state in
  the strategy's own form: the last one, or one that is written now. The ranges of its keys are reused or cut in the
  same way.
#}
{%- macro _open_state(job, batch, last) -%}
  {%- set form = deltawave._form_for(job.strategy) -%}
  {%- set is_comparable = not form.fingerprint or last.checksum_fingerprint == batch.checksum_fingerprint -%}
  {%- if last.is_baseline -%}
    {%- do deltawave._check_known_rows(job, batch, last) -%}
  {%- endif -%}
  {%- if job.strategy.reads == 'dump' or deltawave._has_drifted(job, batch, last) -%}{{ return(last) }}{%- endif -%}

  {%- do deltawave._check_slice_columns(job, batch) -%}
  {%- set is_reused = deltawave._is_kept_by(job.strategy, last.state) and is_comparable -%}
  {%- if deltawave._is_kept_by(job.strategy, last.state) and not is_comparable -%}
    {%- set message = ': the kept ' ~ last.state.kind
        ~ ' were computed in another way; they are computed again, from the log' -%}
    {%- do log('deltawave: ' ~ job.name ~ message, info=true) -%}
  {%- endif -%}
  {%- set state = last.state if is_reused else deltawave._write_last_state(job, batch, last) -%}
  {%- set ranges = none -%}
  {%- if job.strategy.ranges -%}
    {#- Compared ranges describe the source's keys, so they stay valid when the state is rewritten. -#}
    {%- set continues = last.progress_strategy == job.strategy.name if job.strategy.ranges == 'compared'
        else is_reused -%}
    {#- Lost ranges can be cut again from the rows of the state. -#}
    {%- set is_there = last.ranges and continues
        and deltawave._is_there(job, deltawave._attempt_relation(job, last.ranges)) -%}
    {%- set ranges = last.ranges if is_there else deltawave._cut_ranges(job, batch, state, last.rows_new) -%}
  {%- endif -%}
  {{ return(dict(last, state=state, ranges=ranges)) }}
{%- endmacro -%}

{# Is a state in the form that a strategy keeps? #}
{%- macro _is_kept_by(strategy, state) -%}{{ return(state.kind == strategy.keeps) }}{%- endmacro -%}

{# Has the dump other columns, or wider ones, than the state whose hashes are compared? #}
{%- macro _has_drifted(job, batch, last) -%}
  {%- set kept = deltawave._types_of(last.columns | selectattr('in_copy')) -%}
  {{ return(
    job.strategy.reads == 'differences' and kept != deltawave._types_of(batch.columns | selectattr('in_new'))
  ) }}
{%- endmacro -%}

{#
  Checksums that cannot be compared are recomputed from the rows in the log. A log that began without the rows of its
  first dump does not have them all, so it can only continue with the same checksums.
#}
{%- macro _check_known_rows(job, batch, last) -%}
  {%- if job.settings.tolerance and job.strategy.checksums == 'rows' -%}
    {%- do deltawave._fail('tolerance_alone', {'model': job.name, 'strategy': job.strategy.name}) -%}
  {%- endif -%}
  {%- set form = deltawave._form_of(last.state) -%}
  {%- set is_other = last.checksum_fingerprint != batch.checksum_fingerprint
      or deltawave._has_drifted(job, batch, last) -%}
  {%- if form.fingerprint and is_other -%}
    {%- set able = [] -%}
    {%- for name, strategy in deltawave._strategies().items() if strategy.keeps == last.state.kind -%}
      {%- do able.append(name) -%}
    {%- endfor -%}
    {%- do deltawave._fail('checksums_alone', {
      'model': job.name, 'kind': last.state.kind, 'strategies': able | join(' or '), 'options': form.fixed_by,
    }) -%}
  {%- elif form.is_dump and not form.has_rows -%}
    {%- do deltawave._fail('files_alone', {'model': job.name}) -%}
  {%- endif -%}
{%- endmacro -%}

{#
  The rows outside a slice would have no value of a new column, so columns can only change under a strategy that
  compares whole dumps.
#}
{%- macro _check_slice_columns(job, batch) -%}
  {%- set apart = [] -%}
  {%- for column in batch.columns if column.in_old != column.in_new -%}
    {%- do apart.append(column.name) -%}
  {%- endfor -%}
  {%- if apart -%}
    {%- do deltawave._fail('slice_columns', {
      'model': job.name, 'columns': apart | join(', '), 'strategy': job.strategy.name,
    }) -%}
  {%- endif -%}
{%- endmacro -%}

{#
  Refuses a previous state whose table is missing. A new generation compares with nothing, and the log alone is no
  table of its own.
#}
{%- macro _check_previous_state(job, state) -%}
  {%- set record = state.record -%}
  {%- if record and not state.is_new_generation and deltawave._form_of(record.state).write -%}
    {%- set table = deltawave._attempt_relation(job, record.state) -%}
    {%- if table.identifier | lower not in state.names | map('lower') -%}
      {%- do deltawave._fail('lost_copy', {'model': job.name, 'copy': table | string}) -%}
    {%- endif -%}
  {%- endif -%}
{%- endmacro -%}

{#
  The rows after the last batch of `record`, as a select of `columns`. condition: on the key's columns; it applies to
  both the state and the log, so that only a part of each is read.
#}
{%- macro _previous_rows(job, record, columns, condition='true') -%}
  {%- set keys = job.settings.unique_key -%}
  {%- set names = columns | map(attribute='name') | list -%}
  {%- set log = '(select * from ' ~ job.target ~ ' where ' ~ condition ~ ')' -%}
  {%- if not deltawave._form_of(record.state).has_rows -%}
    {{ return(deltawave.current_state(log, keys, columns=columns, duplicate_keys=job.settings.duplicate_keys)) }}
  {%- endif -%}
  {%- set base -%}
select
    {{ deltawave._quoted_list(names) | join(',\n    ') }}
from {{ deltawave._attempt_relation(job, record.state) }}
where {{ condition }}
  {%- endset -%}
  {%- if record.state.as_of == record.batch_id -%}
    {{ return(base) }}
  {%- endif -%}
  {%- set changes = deltawave._last_changes(log, keys, names, from_batch=record.state.as_of + 1) -%}
  {{ return(deltawave._rebuild('(' ~ deltawave._indented(base) ~ ')', keys, names, names, changes)) }}
{%- endmacro -%}

{#
  The previous rows that a whole dump is compared with, as a relation with the key's hash. A column that is compared
  for the first time, or with another tolerance, is compared with the log: a dump also has changes that were not
  logged.
#}
{%- macro _previous_dump(job, batch, last) -%}
  {%- set form = deltawave._form_of(last.state) -%}
  {%- set is_in_log = deltawave._is_compared_otherwise(job, batch, last) and not batch.is_baseline -%}
  {%- if form.read and not is_in_log -%}
    {{ return(deltawave._macro_named(form.read)(job, batch, last.state)) }}
  {%- endif -%}
  {%- set known = deltawave._as_logged(last) if is_in_log else last -%}
  {%- set sql -%}
(
    select
        previous.*,
        {{ deltawave._key_hash('previous', job.settings.unique_key) }} as key_hash
    from (
        {{ deltawave._indented(deltawave._previous_rows(job, known, last.columns | selectattr('in_copy') | list)) }}
    ) as previous
)
  {%- endset -%}
  {{ return(sql) }}
{%- endmacro -%}

{#
  Does the batch compare a column that the last one did not compare, or with another tolerance? In a bag all columns
  are always compared.
#}
{%- macro _is_compared_otherwise(job, batch, last) -%}
  {%- if job.settings.duplicate_keys == 'multiset' -%}{{ return(false) }}{%- endif -%}
  {%- set compared = {} -%}
  {%- for column in last.columns if column.is_compared -%}
    {%- do compared.update({column.name | lower: column.tolerance}) -%}
  {%- endfor -%}
  {%- for column in batch.columns if column.in_old and column.is_chosen and not column.is_key -%}
    {%- if compared.get(column.name | lower, 'no') != column.tolerance -%}{{ return(true) }}{%- endif -%}
  {%- endfor -%}
  {{ return(false) }}
{%- endmacro -%}

{#
  The previous rows that a slice is compared with: those whose keys `scope` (a select of keys) names, or those in some
  key intervals.
#}
{%- macro _previous_slice(job, batch, last, condition='true', scope=none) -%}
  {%- set rows = deltawave._previous_rows(job, last, batch.columns | selectattr('in_old') | list, condition) -%}
  {%- if scope is none -%}
    {{ return('(\n' ~ rows ~ '\n)') }}
  {%- endif -%}
  {%- set sql -%}
(
    select previous.*
    from (
        {{ deltawave._indented(rows) }}
    ) as previous
    left semi join (
        {{ deltawave._indented(scope) }}
    ) as scope
        on {{ deltawave._same_key(job.settings.unique_key, 'previous', 'scope') }}
)
  {%- endset -%}
  {{ return(sql) }}
{%- endmacro -%}

{#
  A condition that skips most previous rows that a slice of scattered keys is not compared with: the ranges of its
  keys.
#}
{%- macro _ranges_of_slice(job, batch, last) -%}
  {%- set ranges = deltawave._read_ranges(job, batch, last.ranges) -%}
  {%- set lows = deltawave._attempt_relation(job, last.ranges) -%}
  {%- set placed = deltawave._placed(job, batch.landed, [], lows, ranges | length) -%}
  {%- set touched = [] -%}
  {%- for row in deltawave._run(job, 'select distinct range_id from (\n' ~ placed ~ '\n)').rows -%}
    {%- do touched.append(row[0] | int) -%}
  {%- endfor -%}
  {%- set chosen = deltawave._in_few_places(ranges, ranges | selectattr('range_id', 'in', touched) | list) -%}
  {{ return(deltawave._ranges_condition(job, ranges, chosen)) }}
{%- endmacro -%}
