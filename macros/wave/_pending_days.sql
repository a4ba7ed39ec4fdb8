{# The transitions that this run has to make, in order: {kind, days}. `warnings`: a list to which it adds its own, as of days that came too late. #}
{%- macro _pending_days(job, state, warnings) -%}
  {%- set record = none if state.is_new_generation or not state.record else tojson(deltawave._wave_in(state.record.select)) -%}
  {%- set batch = {'batch_id': state.record.batch_id if state.record else 0, 'attempt': job.attempt} -%}
  {%- set dropped = deltawave._days_to_drop(job) -%}
  {%- set works = [] -%}
  {%- set late = [] -%}
  {%- set in_the_way = [] -%}
  {%- set objections = [] -%}
  {%- for row in deltawave._ask_library(job, batch, 'pending_work', {
    'record': record, 'drop': dropped, 'schema': job.state_schema, 'model': job.target.identifier,
  }) -%}
    {%- if row.kind == 'late' -%}
      {%- do late.append(row.text) -%}
    {%- elif row.kind == 'in_the_way' -%}
      {%- do in_the_way.append(row.text) -%}
    {%- elif row.kind == 'length' -%}
      {%- do warnings.append(deltawave._message('long_text', {'model': job.name, 'window': job.settings.window, 'length': row.text})) -%}
    {%- elif row.kind == 'unknown' -%}
      {%- do warnings.append(deltawave._message('unknown_day', {'model': job.name, 'day': row.text})) -%}
    {%- elif row.kind == 'objection' -%}
      {%- do objections.append(row.text) -%}
    {%- else -%}
      {%- do works.append(fromjson(row.text)) -%}
    {%- endif -%}
  {%- endfor -%}
  {%- if late -%}
    {%- if in_the_way -%}
      {%- set advice = deltawave._message('late_advice', {'model': job.name, 'wrong': deltawave._for_vars(in_the_way[0])}) -%}
    {%- else -%}
      {%- set advice = deltawave._message('early_advice', {}) -%}
    {%- endif -%}
    {%- do warnings.append(deltawave._message('late_days', {'model': job.name, 'days': late | join(', '), 'advice': advice})) -%}
  {%- endif -%}
  {%- if objections and not deltawave._is_accepted(job) -%}
    {%- do deltawave._fail('doubtful_days', {'model': job.name, 'objections': objections | join(' ')}) -%}
  {%- endif -%}
  {%- if state.is_new_generation and not works -%}
    {%- do deltawave._fail('no_days', {'model': job.name}) -%}
  {%- endif -%}
  {{ return(works) }}
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
