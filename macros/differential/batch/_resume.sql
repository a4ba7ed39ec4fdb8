{#
  The strategy resumes from the progress of the last batch if that batch belongs to the same strategy and generation and no rewind followed. A
  strategy that resumes only under the same select compares all rows once if the select was edited, if the run is accepted, and under
  --full-refresh, which may have rebuilt models below. Returns keys of a batch.
#}
{%- macro _resume(job, batch, last) -%}
  {%- set resumed = deltawave._last_progress(job, last) if job.strategy.resumes else {} -%}
  {%- set fingerprint = deltawave._select_fingerprint(job, batch) if job.strategy.resumes == 'select' else none -%}
  {%- set is_edited = fingerprint and (fingerprint != last.fingerprint or deltawave._is_accepted(job) or flags.FULL_REFRESH) -%}
  {%- if resumed and is_edited -%}
    {%- set reason = 'the select or configuration was edited, the run is accepted, or --full-refresh was given' -%}
    {%- do log('deltawave: ' ~ job.name ~ ': all rows are compared: ' ~ reason, info=true) -%}
  {%- endif -%}
  {{ return({
    'resumed': resumed, 'compares_all': not resumed or is_edited, 'fingerprint': fingerprint,
    'checksum_fingerprint': deltawave._checksum_fingerprint(job, batch),
  }) }}
{%- endmacro -%}

{# The progress of the last batch; empty after another strategy or a rewind. #}
{%- macro _last_progress(job, last) -%}
  {{ return(last.progress if last and last.progress_strategy == job.strategy.name else {}) }}
{%- endmacro -%}

{#
  What determines the rows and what counts as a change: the select, its database, the options, and the texts of the models below it: an edited view
  changes rows just as an edited select does. For a remote, the select that runs there: the view through which Spark reads it has a new name in each
  run. What is below a change log is left to that log.
#}
{%- macro _select_fingerprint(job, batch) -%}
  {%- set options = [] -%}
  {%- for option, declared in deltawave._options().items() if declared.selects -%}{%- do options.append(job.settings[option]) -%}{%- endfor -%}
  {%- set compared = [] -%}
  {%- for column in batch.columns if column.is_chosen -%}{%- do compared.append([column.name, column.tolerance]) -%}{%- endfor -%}
  {%- set texts = [] -%}
  {%- for parent in (deltawave._models_below(model) if job.strategy.reads != 'logs' else []) -%}
    {%- do texts.append(deltawave._code_of(parent, deltawave._view_text(job, parent))) -%}
  {%- endfor -%}
  {{ return(local_md5(tojson([
    job.remote.select if job.remote else job.sql, job.settings.remote, texts | sort, options, compared,
  ]))) }}
{%- endmacro -%}

{#
  A fingerprint of how checksums are computed (functions, bits, columns), recorded with the batch. Checksums with different fingerprints cannot be
  compared. None if the strategy has no checksums.
#}
{%- macro _checksum_fingerprint(job, batch) -%}
  {%- set bits = job.settings.checksum_bits -%}
  {%- set form = deltawave._form_for(job.strategy) -%}
  {%- if form.fingerprint -%}
    {{ return(deltawave._macro_named(form.fingerprint)(job, batch)) }}
  {%- elif job.strategy.checksums == 'ranges' and job.remote -%}
    {%- set hashes = deltawave._remote_row_hash(job, deltawave._keys_first(job, batch), bits) -%}
    {{ return(local_md5(job.remote.name ~ hashes | join(' '))) }}
  {%- elif job.strategy.checksums == 'ranges' -%}
    {{ return(local_md5(deltawave._summed_text(batch, bits))) }}
  {%- endif -%}
  {{ return(none) }}
{%- endmacro -%}
