{#
  Decides the state and ranges with which the next batch is compared:

    whole dump    the dump as it landed or, with quarantined rows, as it was accepted; with a tolerance the log
    first slice   its rows, in the strategy's form; likewise those of a whole dump that was landed because its hashes
                  can't be compared
    later slice   the previous state; this batch's changes are patches, which are read from the log

  last: what _open_state returned.
#}
{%- macro _keep_state(job, batch, last) -%}
  {%- set reading, result = batch.reading, batch.result -%}
  {%- set is_joined = job.strategy.reads == 'dump' or reading.is_whole and not batch.is_first -%}
  {%- if is_joined and job.settings.tolerance and not batch.is_baseline -%}
    {#-
      Differences within a tolerance add up, so the next dump is compared with the log, unless that began without the
      first rows.
    -#}
    {%- do deltawave._update(result, state=deltawave._log_alone()) -%}
  {%- elif job.strategy.reads == 'dump' -%}
    {%- set state = dict(deltawave._own_table(batch, 'accepted'), as_of=batch.batch_id) if result.quarantined
        else reading.state -%}
    {%- do deltawave._update(result, state=dict({'rows': result.rows_new}, **state)) -%}
  {%- elif batch.is_first or reading.is_whole -%}
    {%- do deltawave._keep_first_slice(job, batch) -%}
  {%- else -%}
    {%- do deltawave._update(result, state=last.state, ranges=last.ranges) -%}
    {%- set changes = result.counts['insert'] + result.counts['delete'] + result.counts['update'] -%}
    {%- if changes -%}
      {%- do deltawave._renew_state(job, batch, last) -%}
      {%- set patches = deltawave._patches_of(result.state) -%}
      {%- do deltawave._update(
        result, state=dict(result.state, patches={'rows': patches.rows + changes, 'batches': patches.batches + 1})
      ) -%}
    {%- endif -%}
    {%- if reading.rotation -%}
      {%- do deltawave._renew_ranges(
        job, batch, reading.rotation.ranges, reading.rotation.read, reading.rotation.fetched
      ) -%}
    {%- endif -%}
  {%- endif -%}
{%- endmacro -%}

{# The first slice is the whole table. Its state may be there already, unless rows of it were quarantined. #}
{%- macro _keep_first_slice(job, batch) -%}
  {%- set written = batch.reading.state -%}
  {%- if written and batch.result.quarantined -%}
    {%- do deltawave._drop_table(job, deltawave._attempt_relation(job, written)) -%}
    {%- set written = none -%}
  {%- endif -%}
  {%- set state = deltawave._counted(
    job, written or deltawave._write_first_state(job, batch, batch.result.new)
  ) -%}
  {%- do deltawave._update(batch.result, state=state) -%}
  {%- if job.strategy.ranges -%}
    {%- do deltawave._update(batch.result, ranges=deltawave._cut_ranges(job, batch, state, batch.result.rows_new)) -%}
  {%- endif -%}
  {%- if job.strategy.ranges == 'compared' -%}
    {%- set ranges = deltawave._read_ranges(job, batch, batch.result.ranges) -%}
    {%- do deltawave._renew_ranges(job, batch, ranges, ranges, ranges) -%}
  {%- endif -%}
{%- endmacro -%}

{# The state of a whole table. rows: a relation. #}
{%- macro _write_first_state(job, batch, rows) -%}
  {%- set columns = batch.columns | selectattr('in_new') | list -%}
  {%- set names = deltawave._quoted_list(columns | map(attribute='name')) | join(', ') -%}
  {{ return(deltawave._write_state(
    job, batch, 'select ' ~ names ~ ' from ' ~ rows, columns, batch.batch_id
  )) }}
{%- endmacro -%}

{#
  Writes a state after batch as_of, in the form that the strategy keeps: {kind, batch_id, attempt, as_of}, and facts
  that the form needs. rows: a select, in the form itself if is_formed. columns: of whole rows.
#}
{%- macro _write_state(job, batch, rows, columns, as_of, is_formed=false) -%}
  {%- set table = deltawave._own_table(batch, job.strategy.keeps) -%}
  {%- set form = deltawave._form_of(table) -%}
  {%- if form.of_rows and not is_formed -%}
    {%- set rows = deltawave._macro_named(form.of_rows)(job, batch, rows) -%}
  {%- endif -%}
  {{ return(dict(table, as_of=as_of, **deltawave._macro_named(form.write)(job, batch, table, rows, columns))) }}
{%- endmacro -%}

{# The state with the number of its rows, which the next batch checks. #}
{%- macro _counted(job, state) -%}
  {{ return(dict(state, rows=deltawave._row_count(job, deltawave._attempt_relation(job, state)))) }}
{%- endmacro -%}

{#
  Writes the state of the last batch as the log has it. A copy of a dump also has changes that were not logged, because
  a column was not compared or differed within its tolerance.
#}
{%- macro _write_last_state(job, batch, last) -%}
  {%- set columns = last.columns | selectattr('in_copy') | list -%}
  {%- set unlogged = columns | rejectattr('is_key') | rejectattr('is_compared') | list + columns | selectattr('tolerance') | list -%}
  {%- set is_in_log = deltawave._form_of(last.state).is_dump and unlogged and not last.is_baseline -%}
  {%- set rows = deltawave._previous_rows(job, deltawave._as_logged(last) if is_in_log else last, columns) -%}
  {{ return(deltawave._counted(job, deltawave._write_state(job, batch, rows, columns, last.batch_id))) }}
{%- endmacro -%}

{# The tables that the next batch needs. #}
{%- macro _tables_of(state, ranges, history) -%}
  {%- set tables = [] -%}
  {%- for table in [state, ranges] + (history.tables if history else []) if table and table.attempt -%}
    {%- do tables.append({'kind': table.kind, 'batch_id': table.batch_id, 'attempt': table.attempt}) -%}
  {%- endfor -%}
  {{ return(tables) }}
{%- endmacro -%}

{# The state that consists of nothing but the log. #}
{%- macro _log_alone() -%}{{ return({'kind': 'log'}) }}{%- endmacro -%}

{%- macro _as_logged(record) -%}{{ return(dict(record, state=deltawave._log_alone())) }}{%- endmacro -%}
