{#
  The state has keys and hashes, which a Python library compares with the whole dump (LG96 3.1). There are four cases:

    first dump     see _reading_of_whole_dump
    other columns  hashes cannot be compared: the dump is landed whole, and Spark joins it with the previous rows, as
                   under outer_join
    else           if the library can read the log, the rows that differ come with their before images, and nothing is
                   landed; otherwise they are landed with the keys of deleted rows, and Spark finds before images in the
                   log, if it still has them
#}
{%- macro default___differences_by_hashes(job, batch, last) -%}
  {%- set rows = deltawave._named_rows(job, batch) -%}
  {%- if not last or deltawave._has_drifted(job, batch, last) -%}
    {{ return(deltawave._reading_of_whole_dump(job, batch, last, rows)) }}
  {%- endif -%}
  {%- set differing = deltawave._rows_by_hashes(job, batch, last, rows) -%}
  {%- if batch.result.measured.pairs is defined -%}
    {{ return(deltawave._reading_of_pairs(job, batch, last, differing, batch.result.measured)) }}
  {%- endif -%}
  {%- do deltawave._create_slice(job, batch, 'select * from ' ~ differing) -%}
  {%- set keys = {'table': batch.landed | string, 'count': none} -%}
  {{ return(deltawave._reading_of_differing(job, batch, 'is_there or was_kept', keys)) }}
{%- endmacro -%}

{# The log in which the library may find before images; none if it does not have them, or the library can't read it. #}
{%- macro _whole_log(job, batch) -%}
  {%- if not deltawave._log_has_all_rows(job, batch) -%}{{ return(none) }}{%- endif -%}
  {{ return(deltawave._files_of_log(
    job, batch, batch.columns | selectattr('in_old') | map(attribute='name') | list, batch.first_batch
  )) }}
{%- endmacro -%}

{#
  A view of the dump's rows that differ from the hashes of the state: the log's columns, was_kept, is_there. If the
  library reads the log, each comes with the last row of its key: with before images and _change_type, which is null
  without such a row; it measures how many there are.
#}
{%- macro _rows_by_hashes(job, batch, last, rows) -%}
  {%- set known = deltawave._known_hashes(job, batch, last) -%}
  {%- set relations = dict(known.relations, new='(\n' ~ rows ~ '\n)') -%}
  {%- set options = dict(deltawave._hash_options(job, batch, 'rows'), **known.options) -%}
  {%- set log = deltawave._whole_log(job, batch) -%}
  {%- if log -%}
    {%- do relations.update(logged=log.stored) -%}
    {%- do options.update(logged_partitions=log.partitions, first_batch=log.from_batch) -%}
    {%- if deltawave._may_be_idle(job, batch, last) -%}{%- do options.update(same_rows=last.state.rows) -%}{%- endif -%}
  {%- endif -%}
  {%- if batch.seen.row_groups is not none -%}{%- do options.update(marks=batch.seen.row_groups) -%}{%- endif -%}
  {{ return(deltawave._view_by_python(
    job, batch, job.strategy.library ~ '.differing_pairs', relations, options, 'differing'
  )) }}
{%- endmacro -%}

{#
  The reading of differing rows that come with the log's rows. They lie in a temporary file until the batch is staged,
  so they are neither landed nor joined once more.
#}
{%- macro _reading_of_pairs(job, batch, last, view, found) -%}
  {%- set rows = 'select * from ' ~ view ~ '\nwhere ' -%}
  {%- set incoming = deltawave._in_parentheses(deltawave._hashed_slice(job, rows ~ 'is_there', is_balanced=false)) -%}
  {%- if found.pairs == 0 and found.previous_rows == last.state.rows and deltawave._may_be_idle(job, batch, last) -%}
    {{ return(deltawave._reading(incoming=incoming, is_idle=true)) }}
  {%- endif -%}
  {#- A state that this batch has rebuilt has other rows than the recorded one, which Spark counts. -#}
  {%- set counted = none if deltawave._is_own(batch, last.state)
      else deltawave._counted_in_files(job, batch, 'count_pairs', {'pairs': view}) -%}
  {%- do deltawave._mark_attempt(job, batch) -%}
  {{ return(deltawave._reading(
    incoming=incoming,
    counted=dict(counted, previous_rows=found.previous_rows) if counted else none,
    changes=deltawave._changes_in_pairs(batch, view),
    pairs=view,
    checksums=batch.rows_old,
  )) }}
{%- endmacro -%}

{#
  How many rows a library finds in the files that it reads; none if Spark has to count, since it has to read the rows
  for a checksum as well, or the library does not reach the files.
#}
{%- macro _counted_in_files(job, batch, function, relations) -%}
  {%- if batch.is_first and batch.checksum_of is not none -%}{{ return(none) }}{%- endif -%}
  {%- set options = {'unique_key': job.settings.unique_key, 'memory_bytes': job.settings.memory_bytes} -%}
  {{ return(adapter.call_library('deltawave.differencing.logged_rows.' ~ function, relations, options)) }}
{%- endmacro -%}

{#
  May an unchanged dump end the run without a batch (see _is_unchanged)? Not if the dump is empty or a number of rows is
  expected, which is checked first; nor if this batch has rebuilt the state, whose rows Spark counts.
#}
{%- macro _may_be_idle(job, batch, last) -%}
  {%- set is_checked = last.rows_new == 0 or batch.expected_rows is not none or deltawave._is_own(batch, last.state) -%}
  {{ return(
    not is_checked and not batch.snapshot_date and batch.fingerprint == last.fingerprint
      and not deltawave._has_other_columns(batch, last)
  ) }}
{%- endmacro -%}

{# Has the log gained or lost a column? Readers have to see that even if no row has changed. #}
{%- macro _has_other_columns(batch, last) -%}
  {%- set gained = batch.columns | selectattr('in_new') | rejectattr('in_old') | list -%}
  {{ return(gained or batch.columns | length < last.columns | length) }}
{%- endmacro -%}

{# A select of the changes, from a view that has each row together with its previous row. #}
{%- macro _changes_in_pairs(batch, view) -%}
  {%- set columns = [] -%}
  {%- for column in batch.columns -%}
    {%- set name = deltawave._quoted(column.name) -%}
    {%- set before = name if column.is_key else deltawave._quoted(deltawave._before_name(column.name)) -%}
    {%- do columns.append(dict(column, old_name=before, new_name=name)) -%}
  {%- endfor -%}
  {%- set sides = {
    'columns': columns,
    'compared': columns | selectattr('is_compared') | list,
    'has_before': true,
    'no_old': '`_change_type` is null',
    'no_new': 'not is_there',
    'hint': none,
  } -%}
  {{ return(deltawave._changes_of_pairs(
    sides, '(\n    select * from ' ~ view ~ '\n    where is_there or `_change_type` is not null\n)'
  )) }}
{%- endmacro -%}

{#
  The dump's rows in the log's columns and types. Only a narrower number is cast: files are read in place where the
  select takes nothing but columns. A select that has these columns and no others is taken as it is: then it need not
  be analysed once more.
#}
{%- macro _named_rows(job, batch) -%}
  {%- set types = deltawave._types_of(job.columns) -%}
  {%- set rows = deltawave._rows_of_dump(job, batch) -%}
  {%- set cells, names, casts = [], [], [] -%}
  {%- for column in batch.columns if column.in_new -%}
    {%- set is_cast = types[column.name | lower] != column.data_type -%}
    {%- do cells.append(deltawave._typed_cell(column) if is_cast else deltawave._quoted(column.name)) -%}
    {%- do names.append(column.name) -%}
    {%- do casts.append(is_cast) -%}
  {%- endfor -%}
  {#- A dated dump also has the column with its date, and columns that are missing on that date. -#}
  {%- set is_named = names == job.columns | map(attribute='name') | list and not job.settings.snapshot_date
      and not casts | select | list -%}
  {{ return(rows if is_named else 'select ' ~ cells | join(', ') ~ ' from (\n' ~ rows ~ '\n)') }}
{%- endmacro -%}

{#
  Does a select only take columns of Parquet files? Others may return other rows when they are read again: by a limit,
  by row_number() among equals. And the library would copy their rows anyway.
#}
{%- macro _is_plain_scan(select) -%}
  {{ return(adapter.call_library(
    'deltawave.rows.plain_scans.is_plain_scan', {'frame': '(\n' ~ select ~ '\n)'}, {}
  )) }}
{%- endmacro -%}
