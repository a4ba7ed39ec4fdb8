{# What the last batch left for the next of the same strategy to go on from; nothing after another strategy or a rewind. #}
{%- macro _last_progress(job, last) -%}
  {{ return(last.progress if last and last.strategy_progress == job.settings.strategy else {}) }}
{%- endmacro -%}

{#
  Where the last run left off; nothing where its mark says nothing of the rows below: another strategy or generation, an edited select,
  other columns that are compared. Nor where --full-refresh has built models below anew. Then all rows are compared once.
#}
{%- macro _time_progress(job, batch, last) -%}
  {%- do batch.update(fingerprint=deltawave._time_fingerprint(job, batch)) -%}
  {%- set progress = deltawave._last_progress(job, last) -%}
  {%- if progress.fingerprint != batch.fingerprint or deltawave._is_accepted(job) or flags.FULL_REFRESH -%}
    {%- if progress -%}
      {%- set why = 'another select or configuration than in the last run, accepted, or --full-refresh' -%}
      {%- do log('deltawave: ' ~ job.name ~ ': ' ~ why ~ ': all rows are compared', info=true) -%}
    {%- endif -%}
    {{ return({}) }}
  {%- endif -%}
  {{ return(progress) }}
{%- endmacro -%}

{#
  What decides which rows there are and what is a change of one: the select, its database and the models below it, the options. Of a remote
  the select that runs there: the view that Spark reads it by has another name in each run.
#}
{%- macro _time_fingerprint(job, batch) -%}
  {%- set settings = job.settings -%}
  {%- set compared = [] -%}
  {%- for column in batch.columns if column.is_chosen -%}{%- do compared.append([column.name, column.tolerance]) -%}{%- endfor -%}
  {{ return(local_md5(tojson([
    job.remote.select if job.remote else job.sql, settings.remote, deltawave._texts_below(job, model),
    settings.updated_at, settings.delete_flag, settings.row_id, compared,
  ]))) }}
{%- endmacro -%}

{#
  A fingerprint of how a row's checksum is computed, kept with the batch: its functions, bits and columns. Checksums with another one say
  nothing about each other. None where no checksums are kept.
#}
{%- macro _summed(job, batch) -%}
  {%- set bits = job.settings.checksum_bits -%}
  {%- if job.settings.strategy == 'row_checksum' -%}
    {{ return(local_md5(deltawave._checksum_of(batch, bits))) }}
  {%- elif job.settings.strategy == 'range_checksum' -%}
    {%- set at_source = deltawave._remote_row_hash(job, deltawave._keys_first(job, batch), bits) if job.remote else [] -%}
    {{ return(local_md5(job.remote.name ~ at_source | join(' ') if job.remote else deltawave._summand(batch, bits))) }}
  {%- endif -%}
  {{ return(none) }}
{%- endmacro -%}

{#
  Checksums that can't be compared are made anew of the rows that the log holds. A log that began without the rows of its first dump does not
  hold them all, so it goes on only as it began.
#}
{%- macro _require_known_rows(job, batch, last) -%}
  {%- if not batch.is_first and last.is_baseline and last.kept.kind == 'checksums' and last.summed != batch.summed -%}
    {%- do deltawave._fail('checksums_alone', {'model': job.name}) -%}
  {%- endif -%}
{%- endmacro -%}

{# A slice lacks the rows that would give a new column its values, so columns change under a strategy that compares whole dumps. #}
{%- macro _require_same_columns(job, batch) -%}
  {%- set apart = [] -%}
  {%- for column in batch.columns if not (column.in_old and column.in_new) -%}{%- do apart.append(column.name) -%}{%- endfor -%}
  {%- if apart -%}
    {%- do deltawave._fail('slice_columns', {'model': job.name, 'columns': apart | join(', '), 'strategy': job.settings.strategy}) -%}
  {%- endif -%}
{%- endmacro -%}
