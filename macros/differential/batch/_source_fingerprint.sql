{#
  A fingerprint of what a whole dump is read from and compared with, or the days of a wave index: the select, its tables as the library finds them without
  reading, the options, with expected_rows as the number that its select returns. None if only reading shows whether it has changed. A dated dump is
  recognized by its date (see _known_dates). Sets the job's source_bytes, which Spark knows at the same time.
#}
{%- macro _source_fingerprint(job, expected_rows) -%}
  {%- if job.strategy and job.strategy.reads not in ['dump', 'differences'] or job.remote or job.settings.snapshot_date or not deltawave._runs_python() -%}
    {{ return(none) }}
  {%- endif -%}
  {%- set found = adapter.call_library('deltawave.source_state.source_state', {'select': '(\n' ~ job.sql ~ '\n)'}, {}) -%}
  {%- do deltawave._update(job, source_bytes=found.bytes) -%}
  {%- if found.fingerprint is none -%}{{ return(none) }}{%- endif -%}
  {%- set options = dict(job.settings, reason=none, expected_rows=expected_rows) -%}
  {%- if options.is_auto -%}{%- do options.update(strategy=none) -%}{%- endif -%}
  {{ return(local_md5(tojson([found.fingerprint, job.sql, options]))) }}
{%- endmacro -%}

{# The fingerprint from before the source was read; none if it is another one now: the source may change back, and is not known by either state. #}
{%- macro _settled_source(job, before, expected_rows) -%}
  {{ return(before if before is not none and before == deltawave._source_fingerprint(job, expected_rows) else none) }}
{%- endmacro -%}

{#
  Is the source as it was when it was last read, in the last batch or in a run after it that found no changes? --vars '{deltawave_read: [model]}' reads
  it all the same.
#}
{%- macro _is_source_unchanged(job, state, source) -%}
  {%- if source is none or state.is_new_generation or not state.record -%}{{ return(false) }}{%- endif -%}
  {%- if deltawave._is_named(job, 'deltawave_read') or deltawave._is_accepted(job) -%}{{ return(false) }}{%- endif -%}
  {%- set seen = deltawave._seen_relation(job, state.record.batch_id, source).identifier | lower -%}
  {{ return(state.record.source == source or seen in state.names | map('lower') | list) }}
{%- endmacro -%}

{#
  Records that a source was read and has not changed since a batch, in the name of a view. Nobody reads the view's text. If the view is missing, the
  next run reads the source.
#}
{%- macro _remember_source(job, state, source) -%}
  {%- if source -%}
    {%- do deltawave._forget_sources(job, state.names) -%}
    {%- do deltawave._run(job, 'create view if not exists ' ~ deltawave._seen_relation(job, state.record.batch_id, source) ~ ' as select 1 as seen') -%}
  {%- endif -%}
{%- endmacro -%}
