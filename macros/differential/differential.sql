{#
  The change log of a table that arrives as full dumps (LG96 1.1, CH98 3.1), with one exclusive and atomic decision per
  batch:

    land     the new dump is written once, placed by the key's hash: the next batch compares with it
    check    keys exist and are unique (otherwise duplicate_keys says what happens), the dump is not empty
    prepare  the log gets the dump's columns
    stage    the log rows of (batch, attempt) are written where no reader looks
    merge    many small partitions of the log are staged as one
    decide   one view is created, exclusively: from here on the batch is valid
    place    the staged rows become rows of the log
    publish  the model's view is replaced in one change
    clean    tables that the batch made superfluous are dropped

  If a run is killed anywhere, the next run starts with recover and continues.
#}
{%- materialization differential, default, supported_languages=['sql'] -%}

  {%- set settings = deltawave._differential_settings(model.name, model.config) -%}
  {%- set job = deltawave._open_job(model.name, settings, this) -%}
  {%- do deltawave._update(job, sources=deltawave._sources_behind(model)) -%}
  {%- if job.sources -%}
    {%- do deltawave._update(job, dated_sources=deltawave._open_sources(job.name, job.sources)) -%}
  {%- endif -%}
  {%- do deltawave._open_dump(job, model.compiled_code or sql) -%}

  {{ run_hooks(pre_hooks) }}

  {%- set state = deltawave._recover(job) -%}
  {%- if not flags.EMPTY -%}
    {%- do deltawave._leave_out_erased(job, state.record) -%}
    {%- do deltawave._choose_strategy(job, state) -%}
  {%- endif -%}
  {%- if var('deltawave_adopt', {}) != {} -%}{%- do deltawave._adopt_snapshot(job, state) -%}{%- endif -%}

  {%- set progress = namespace(state=state) -%}
  {%- if flags.EMPTY -%}
    {%- do deltawave._create_without_rows(job) -%}
  {%- else -%}
    {%- do deltawave._check_previous_state(job, state) -%}
    {%- set pending = deltawave._pending_dumps(job, state) -%}
    {%- if settings.every -%}
      {%- do deltawave._warn_of_gaps(job, none if state.is_new_generation else state.record, pending.dumps) -%}
    {%- endif -%}
    {%- if pending.replaced -%}{%- set progress.state = deltawave._undo_replaced(job, state, pending) -%}{%- endif -%}
    {%- for dump in pending.dumps -%}
      {%- set progress.state = deltawave._compare_dump(job, progress.state, dump) -%}
    {%- endfor -%}
  {%- endif -%}

  {%- if settings.duplicate_keys == 'quarantine' -%}{%- do deltawave._create_quarantine(job) -%}{%- endif -%}
  {%- set record = progress.state.record -%}
  {%- if settings.retain and record and not flags.EMPTY -%}
    {%- set record = deltawave._retain(job, record) -%}
  {%- endif -%}
  {%- if config.get('persist_docs') -%}
    {%- do deltawave._describe_view(job, record, deltawave._helper_relation(job, record.log) if record else none) -%}
  {%- endif -%}
  {%- call noop_statement('main', deltawave._outcome(job), res=none) -%}
    {{ job.statements | join(';\n\n') }}
  {%- endcall -%}

  {{ run_hooks(post_hooks) }}
  {%- do apply_grants(job.target, config.get('grants'), should_revoke=false) -%}
  {%- if settings.warn_after and record and not flags.EMPTY -%}
    {%- do deltawave._warn_of_age(job, record) -%}
  {%- endif -%}

  {{ return({'relations': [job.target]}) }}

{%- endmaterialization -%}
