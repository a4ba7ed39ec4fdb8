{#
  What the strategy may go on from, which the engine settles for all of them: the progress of the last batch of the same strategy, in
  the same generation (`last` is none in a new one), unless a rewind has undone it. A strategy that resumes under the same select alone
  compares all rows once where that was edited, where the run is accepted, and where --full-refresh has built models below anew.
#}
{%- macro _resume(job, batch, last) -%}
  {%- set resumed = deltawave._last_progress(job, last) if job.strategy.resumes else {} -%}
  {%- set fingerprint = deltawave._select_fingerprint(job, batch) if job.strategy.resumes == 'select' else none -%}
  {%- set is_edited = fingerprint and (fingerprint != last.fingerprint or deltawave._is_accepted(job) or flags.FULL_REFRESH) -%}
  {%- if resumed and is_edited -%}
    {%- set why = 'another select or configuration than in the last run, accepted, or --full-refresh' -%}
    {%- do log('deltawave: ' ~ job.name ~ ': ' ~ why ~ ': all rows are compared', info=true) -%}
  {%- endif -%}
  {%- do deltawave._update(
    batch, resumed=resumed, compares_all=not resumed or is_edited, fingerprint=fingerprint,
    checksum_fingerprint=deltawave._checksum_fingerprint(job, batch)
  ) -%}
{%- endmacro -%}

{# What the last batch left for the next of the same strategy; nothing after another strategy or a rewind. #}
{%- macro _last_progress(job, last) -%}
  {{ return(last.progress if last and last.progress_strategy == job.strategy.name else {}) }}
{%- endmacro -%}

{#
  What decides which rows there are and what is a change of one: the select, its database and the models below it, the options. Of a remote
  the select that runs there: the view that Spark reads it by has another name in each run. What lies below a change log is its own matter.
#}
{%- macro _select_fingerprint(job, batch) -%}
  {%- set options = [] -%}
  {%- for option, declared in deltawave._options().items() if declared.selects -%}{%- do options.append(job.settings[option]) -%}{%- endfor -%}
  {%- set compared = [] -%}
  {%- for column in batch.columns if column.is_chosen -%}{%- do compared.append([column.name, column.tolerance]) -%}{%- endfor -%}
  {%- set texts = deltawave._texts_below(job, model) if job.strategy.reads != 'logs' else [] -%}
  {{ return(local_md5(tojson([
    job.remote.select if job.remote else job.sql, job.settings.remote, texts, options, compared,
  ]))) }}
{%- endmacro -%}

{#
  A fingerprint of how checksums are computed, kept with the batch: their functions, bits and columns. Checksums with another one say
  nothing about each other. None where none are kept.
#}
{%- macro _checksum_fingerprint(job, batch) -%}
  {%- set bits = job.settings.checksum_bits -%}
  {%- if job.strategy.checksums == 'rows' -%}
    {{ return(local_md5(deltawave._checksum_of(batch, bits))) }}
  {%- elif job.strategy.checksums == 'ranges' and job.remote -%}
    {%- set hashes = deltawave._remote_row_hash(job, deltawave._keys_first(job, batch), bits) -%}
    {{ return(local_md5(job.remote.name ~ hashes | join(' '))) }}
  {%- elif job.strategy.checksums == 'ranges' -%}
    {{ return(local_md5(deltawave._summed_text(batch, bits))) }}
  {%- endif -%}
  {{ return(none) }}
{%- endmacro -%}
