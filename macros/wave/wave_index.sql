{#
  A wave index (WI): the rows of a window of days, in constituent indexes. Each missing day is one batch, decided as a
  differential's (decision 14):

    stage    tables and parts are written where no reader looks
    decide   one view is created, exclusively: from here on the day is in the index
    publish  the model's view is replaced in one change
    clean    tables and parts that the run before replaced are dropped

  The preparation for later days is the next batch. If a run is killed anywhere, the next run starts with recover and
  continues.
#}
{%- materialization wave_index, default, supported_languages=['sql'] -%}

  {%- set settings = deltawave._wave_settings(model.name, model.config) -%}
  {%- set job = deltawave._open_job(model.name, settings, this, 'wave_index') -%}
  {%- do deltawave._open_wave(job, model.compiled_code or sql) -%}
  {%- do deltawave._log_soft_window(job) -%}

  {{ run_hooks(pre_hooks) }}

  {%- set state = deltawave._recover(job) -%}
  {%- set warnings, refused = [], [] -%}
  {%- if flags.EMPTY -%}{%- do deltawave._create_without_days(job) -%}{%- endif -%}
  {%- set record = state.record if flags.EMPTY else deltawave._load_days(job, state, warnings, refused) -%}
  {%- do deltawave._describe_view(job, record, deltawave._first_table(record) if record else none) -%}
  {%- call noop_statement('main', deltawave._outcome(job), res=none) -%}
    {{ job.statements | join(';\n\n') }}
  {%- endcall -%}

  {{ run_hooks(post_hooks) }}
  {%- do apply_grants(job.target, config.get('grants'), should_revoke=false) -%}

  {#- By now the other days are loaded. -#}
  {%- if refused -%}
    {%- do deltawave._fail_for_refused(job, refused, 'The other days were loaded.', warnings) -%}
  {%- endif -%}
  {#- With --warn-error the first one ends the run: by now all that the run had to do is done. -#}
  {%- for text in warnings -%}{%- do exceptions.warn(text) -%}{%- endfor -%}

  {{ return({'relations': [job.target]}) }}

{%- endmaterialization -%}
