{#
  The last record, with the state and the ranges that this batch is compared with. A slice is patched onto a state in the strategy's own form: the last
  one, or one that is written now. The ranges of its keys are reused or cut in the same way.
#}
{%- macro _open_state(job, batch, last) -%}
  {%- set form = deltawave._form_for(job.strategy) -%}
  {%- set is_comparable = not form.fingerprint or last.checksum_fingerprint == batch.checksum_fingerprint -%}
  {%- do deltawave._check_known_rows(job, batch, last) -%}
  {%- if job.strategy.reads == 'dump' or deltawave._has_drifted(job, batch, last) -%}{{ return(last) }}{%- endif -%}

  {%- do deltawave._check_slice_columns(job, batch) -%}
  {%- set is_reused = deltawave._is_in_form(job, last.state) and is_comparable -%}
  {%- set state = last.state if is_reused else deltawave._write_last_state(job, batch, last) -%}
  {%- set ranges = none -%}
  {%- if job.strategy.ranges -%}
    {#- Compared ranges describe the source's keys, so they stay valid when the state is rewritten. -#}
    {%- set continues = last.progress_strategy == job.strategy.name if job.strategy.ranges == 'compared' else is_reused -%}
    {#- Lost ranges can be cut again from the rows of the state. -#}
    {%- set is_there = last.ranges and continues and deltawave._is_there(job, deltawave._attempt_relation(job, last.ranges)) -%}
    {%- set ranges = last.ranges if is_there else deltawave._cut_ranges(job, batch, state, last.rows_new) -%}
  {%- endif -%}
  {{ return(dict(last, state=state, ranges=ranges)) }}
{%- endmacro -%}

{# Is a state in the form that the strategy keeps? #}
{%- macro _is_in_form(job, state) -%}{{ return(state.kind == job.strategy.keeps) }}{%- endmacro -%}

{# Has the dump other columns, or wider ones, than the state whose hashes are compared? #}
{%- macro _has_drifted(job, batch, last) -%}
  {%- set kept = deltawave._types_of(last.columns | selectattr('in_copy')) -%}
  {{ return(job.strategy.reads == 'differences' and kept != deltawave._types_of(batch.columns | selectattr('in_new'))) }}
{%- endmacro -%}

{#
  Checksums that cannot be compared are recomputed from the rows in the log. A log that began without the rows of its first dump does not have
  them all, so it can only continue with the same checksums, or in place.
#}
{%- macro _check_known_rows(job, batch, last) -%}
  {%- set form = deltawave._form_of(last.state) -%}
  {%- if last.is_baseline and form.fingerprint and last.checksum_fingerprint != batch.checksum_fingerprint -%}
    {%- set able = [] -%}
    {%- for name, strategy in deltawave._strategies().items() if strategy.keeps == last.state.kind -%}{%- do able.append(name) -%}{%- endfor -%}
    {%- do deltawave._fail('checksums_alone', {
      'model': job.name, 'kind': last.state.kind, 'strategies': able | join(' or '), 'options': form.fixed_by,
    }) -%}
  {%- elif last.is_baseline and form.in_place and not deltawave._form_for(job.strategy).in_place -%}
    {%- do deltawave._fail('files_alone', {'model': job.name, 'strategy': last.progress_strategy}) -%}
  {%- endif -%}
{%- endmacro -%}

{# The rows outside a slice would have no value of a new column, so columns can only change under a strategy that compares whole dumps. #}
{%- macro _check_slice_columns(job, batch) -%}
  {%- set apart = [] -%}
  {%- for column in batch.columns if column.in_old != column.in_new -%}{%- do apart.append(column.name) -%}{%- endfor -%}
  {%- if apart -%}
    {%- do deltawave._fail('slice_columns', {'model': job.name, 'columns': apart | join(', '), 'strategy': job.strategy.name}) -%}
  {%- endif -%}
{%- endmacro -%}

{# Refuses a previous state whose table is missing. A new generation compares with nothing, and the log alone is no table of its own. #}
{%- macro _check_previous_state(job, state) -%}
  {%- set record = state.record -%}
  {%- if record and not state.is_new_generation and deltawave._form_of(record.state).write -%}
    {%- set table = deltawave._attempt_relation(job, record.state) -%}
    {%- if table.identifier | lower not in state.names | map('lower') -%}
      {%- do deltawave._fail('lost_copy', {'model': job.name, 'copy': table | string}) -%}
    {%- endif -%}
  {%- endif -%}
{%- endmacro -%}
