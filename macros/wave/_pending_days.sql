{#
  The plan of this run: {works: its transitions, in order, days: those of the source, states: of their files}.
  `warnings`: a list to which it adds its own, as of days that came too late. `refused`: a list to which it adds
  sentences about suspicious days, which are not loaded.
#}
{%- macro _pending_days(job, state, warnings, refused) -%}
  {%- set plan = deltawave._call_wave(job, 'plan', {
    'settings': job.settings,
    'record': none if state.is_new_generation or not state.record else deltawave._wave_in(state.record.select),
    'drop': deltawave._days_to_drop(job), 'started_at': deltawave._utc(run_started_at),
    'accept': deltawave._is_accepted(job),
    'schema': job.state_schema, 'model': job.target.identifier, 'remembered': deltawave._remembered_parts(job, state),
    'text': job.sql,
  }) -%}
  {%- for warning in plan.warnings -%}{%- do warnings.append(deltawave._wave_message(job, warning)) -%}{%- endfor -%}
  {%- do refused.extend(plan.refused) -%}
  {%- if refused and not plan.loads_days -%}
    {%- do deltawave._fail_for_refused(job, refused, 'Nothing was changed.', warnings) -%}
  {%- endif -%}
  {%- if state.is_new_generation and not plan.works -%}
    {%- do deltawave._fail('no_days', {'model': job.name}) -%}
  {%- endif -%}
  {{ return(plan) }}
{%- endmacro -%}

{# The message of the library's code and values; `advice`: codes and values of messages that end it. #}
{%- macro _wave_message(job, values) -%}
  {%- set advice = [] -%}
  {%- for each in values.advice or [] -%}{%- do advice.append(deltawave._wave_message(job, each)) -%}{%- endfor -%}
  {{ return(deltawave._message(values.code, dict(values, model=job.name, advice=advice | join(' ')))) }}
{%- endmacro -%}

{# Fails for suspicious days. Warnings are part of the error, since --warn-error would end the run at the first one. #}
{%- macro _fail_for_refused(job, refused, done, warnings) -%}
  {%- do deltawave._fail('refused_days', {
    'model': job.name, 'refused': refused | join(' '), 'done': done, 'warnings': ([''] + warnings) | join('\n'),
  }) -%}
{%- endmacro -%}

{# The days that this run drops from the index, by --vars '{deltawave_drop_days: {model: [day]}}'. #}
{%- macro _days_to_drop(job) -%}
  {%- set dropped = var('deltawave_drop_days', {}) -%}
  {%- if dropped is not mapping -%}
    {%- do deltawave._fail('days_to_drop', {'model': job.name, 'value': dropped | string}) -%}
  {%- endif -%}
  {%- set days = dropped.get(job.name) or [] -%}
  {%- for name in dropped if not graph.nodes.values() | selectattr('resource_type', 'equalto', 'model') | selectattr('name', 'equalto', name) | list -%}
    {%- do deltawave._fail('days_of_no_model', {'name': name}) -%}
  {%- endfor -%}
  {#- YAML reads a date without quotes as a date. -#}
  {{ return(([days] if days is string or days is not iterable else days) | map('string') | list) }}
{%- endmacro -%}
