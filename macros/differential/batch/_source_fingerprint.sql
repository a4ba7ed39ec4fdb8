{#
  A fingerprint of what a whole dump is read from and compared with, or the days of a wave index: the select, its
  tables as the library finds them without reading, the options, with expected_rows as the number that its select
  returns. None if only reading shows whether it has changed. A dated dump is recognized by its date (see
  _known_dates). Sets the job's source_bytes and source_version, which are known at the same time.
#}
{%- macro _source_fingerprint(job, expected_rows) -%}
  {%- if job.strategy and not deltawave._reads_whole(job.strategy) or job.remote or job.settings.snapshot_date
      or not deltawave._runs_python() -%}
    {{ return(none) }}
  {%- endif -%}
  {%- set found = adapter.call_library(
    'deltawave.table_versions.source_state', {'select': '(\n' ~ job.sql ~ '\n)'}, {}
  ) -%}
  {%- do deltawave._update(job, source_bytes=found.bytes, source_version=found.version) -%}
  {%- if found.fingerprint is none -%}{{ return(none) }}{%- endif -%}
  {{ return(local_md5(tojson([found.fingerprint, job.sql, deltawave._options_of_rows(job, expected_rows)]))) }}
{%- endmacro -%}

{# The options, without what differs from run to run. #}
{%- macro _options_of_rows(job, expected_rows) -%}
  {%- set options = dict(job.settings, reason=none, expected_rows=expected_rows) -%}
  {%- if options.is_auto -%}{%- do options.update(strategy=none) -%}{%- endif -%}
  {{ return(options) }}
{%- endmacro -%}

{#
  The fingerprint from before the source was read; none if it is another one now: the source may change back, and is
  not known by either state.
#}
{%- macro _settled_source(job, before, expected_rows) -%}
  {{ return(before if before is not none and before == deltawave._source_fingerprint(job, expected_rows) else none) }}
{%- endmacro -%}

{# The same for a batch, which may have read a newer version of its table than the first fingerprint is of. #}
{%- macro _settled_source_of(job, batch, before, expected_rows) -%}
  {%- set source = deltawave._settled_source(job, before, expected_rows) -%}
  {{ return(source if (batch.result.measured.version or [job.source_version]) == [job.source_version] else none) }}
{%- endmacro -%}

{# Is the source as it was when it was last read, in the last batch or in a run after it that found no changes? #}
{%- macro _is_source_unchanged(job, state, source) -%}
  {%- if source is none or deltawave._reads_all(job, state) -%}{{ return(false) }}{%- endif -%}
  {%- set seen = deltawave._seen_relation(job, state.record.batch_id, source).identifier | lower -%}
  {{ return(state.record.source == source or seen in state.names | map('lower') | list) }}
{%- endmacro -%}

{# Does this run read its source, whatever earlier ones have read? --vars '{deltawave_read: [model]}' asks for it. #}
{%- macro _reads_all(job, state) -%}
  {{ return(
    state.is_new_generation or not state.record or deltawave._is_named(job, 'deltawave_read')
    or deltawave._is_accepted(job)
  ) }}
{%- endmacro -%}

{#
  Records that a source was read and has not changed since a batch, in the name of a view; and in its text, also if
  `source` is none, what the next run needs to know of its `parts`: days of a wave index, what _parts_seen has of a
  differential.
  If the view is missing, the next run reads the source.
#}
{%- macro _remember_source(job, state, source, parts=none) -%}
  {%- set source = source or (local_md5(parts) if parts else none) -%}
  {%- if source -%}
    {%- for seen in deltawave._seen_relations(job, state.names) -%}
      {%- do deltawave._run(job, 'drop view if exists ' ~ seen) -%}
    {%- endfor -%}
    {%- set seen = deltawave._seen_relation(job, state.record.batch_id, source) -%}
    {%- do deltawave._run(
      job,
      'create view if not exists ' ~ seen ~ ' as select ' ~ (deltawave._literal(parts) if parts else 1) ~ ' as seen'
    ) -%}
  {%- endif -%}
{%- endmacro -%}

{#
  The `parts` that _remember_source has recorded since the last batch; none if there are none, or if this run has to
  read them.
#}
{%- macro _remembered_parts(job, state) -%}
  {%- if deltawave._reads_all(job, state) -%}{{ return(none) }}{%- endif -%}
  {#- Another run may have replaced the view since this one has begun. -#}
  {%- set names = deltawave._names_like(job, job.target.identifier ~ '__seen_*') -%}
  {%- set seen = deltawave._seen_relations(job, names, state.record.batch_id) -%}
  {{ return(deltawave._json_in(deltawave._facts_of(job, seen[0]).get('View Text'), 'seen') if seen else none) }}
{%- endmacro -%}
