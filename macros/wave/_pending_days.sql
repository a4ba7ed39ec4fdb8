{#
  The transitions that this run has to make, in order: {kind, days}. `warnings`: a list to which it adds its own, as of days that came too late.
  `refused`: a list to which it adds sentences about days that look wrong and are not loaded.
#}
{%- macro _pending_days(job, state, warnings, refused) -%}
  {%- set record = none if state.is_new_generation or not state.record else tojson(deltawave._wave_in(state.record.select)) -%}
  {%- set batch = {'batch_id': state.record.batch_id if state.record else 0, 'attempt': job.attempt} -%}
  {%- set dropped = deltawave._days_to_drop(job) -%}
  {%- set works = [] -%}
  {%- set late = [] -%}
  {%- set lateness = namespace(because='passed', wrong=none) -%}
  {%- for row in deltawave._ask_library(job, batch, 'pending_work', {
    'record': record, 'drop': dropped, 'started_at': deltawave._utc(run_started_at), 'accept': deltawave._is_accepted(job),
    'schema': job.state_schema, 'model': job.target.identifier,
  }) -%}
    {%- if row.kind == 'late' -%}
      {%- do late.append(row.text) -%}
    {%- elif row.kind == 'late_because' -%}
      {%- set lateness.because = row.text -%}
    {%- elif row.kind == 'wrong' -%}
      {%- set lateness.wrong = row.text -%}
    {%- elif row.kind == 'length' -%}
      {%- do warnings.append(deltawave._message('long_text', {'model': job.name, 'window': job.settings.window, 'length': row.text})) -%}
    {%- elif row.kind == 'unknown' -%}
      {%- do warnings.append(deltawave._message('unknown_day', {'model': job.name, 'day': row.text})) -%}
    {%- elif row.kind == 'refused' -%}
      {%- do refused.append(row.text) -%}
    {%- else -%}
      {%- do works.append(fromjson(row.text)) -%}
    {%- endif -%}
  {%- endfor -%}
  {%- if late -%}
    {%- set advice = [deltawave._message('late_' ~ lateness.because, {})] -%}
    {%- if lateness.wrong -%}
      {%- set values = {'model': job.name, 'wrong': lateness.wrong, 'dropped': deltawave._for_vars(lateness.wrong)} -%}
      {%- do advice.append(deltawave._message('late_wrong', values)) -%}
    {%- endif -%}
    {%- set named = late[:5] | join(', ') ~ (' and ' ~ (late | length - 5) ~ ' more' if late | length > 5 else '') -%}
    {%- do warnings.append(deltawave._message('late_days', {'model': job.name, 'days': named, 'advice': advice | join(' ')})) -%}
  {%- endif -%}
  {%- if refused and not works | rejectattr('kind', 'equalto', 'prepare') | list -%}
    {%- do deltawave._fail_for_refused(job, refused, 'Nothing was changed.', warnings) -%}
  {%- endif -%}
  {%- if state.is_new_generation and not works -%}
    {%- do deltawave._fail('no_days', {'model': job.name}) -%}
  {%- endif -%}
  {{ return(works) }}
{%- endmacro -%}

{# Fails for days that look wrong. The warnings are part of the error, since --warn-error would end the run at the first one. #}
{%- macro _fail_for_refused(job, refused, done, warnings) -%}
  {%- do deltawave._fail('refused_days', {
    'model': job.name, 'refused': refused | join(' '), 'done': done, 'warnings': ([''] + warnings) | join('\n'),
  }) -%}
{%- endmacro -%}

{# The days that this run drops from the index, by --vars '{deltawave_drop_days: {model: [day]}}'. #}
{%- macro _days_to_drop(job) -%}
  {%- set asked = var('deltawave_drop_days', {}) -%}
  {%- if asked is not mapping -%}
    {%- do deltawave._fail('days_to_drop', {'model': job.name, 'value': asked | string}) -%}
  {%- endif -%}
  {%- set days = asked.get(job.name) or [] -%}
  {%- for name in asked if not graph.nodes.values() | selectattr('resource_type', 'equalto', 'model') | selectattr('name', 'equalto', name) | list -%}
    {%- do deltawave._fail('days_of_no_model', {'name': name}) -%}
  {%- endfor -%}
  {#- YAML reads a date without quotes as a date. -#}
  {{ return(([days] if days is string or days is not iterable else days) | map('string') | list) }}
{%- endmacro -%}

{# A text in --vars '{...}': quoted for YAML, and for the shell, where a quote in the text would end it. #}
{%- macro _for_vars(text) -%}
  {{ return('"' ~ text | replace('\\', '\\\\') | replace('"', '\\"') | replace("'", "'\\''") ~ '"') }}
{%- endmacro -%}
