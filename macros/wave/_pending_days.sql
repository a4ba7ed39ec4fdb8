{# The transitions that this run has to make, in order: {kind, days}. Days that came too late are skipped with a warning. #}
{%- macro _pending_days(job, state) -%}
  {%- set record = none if state.is_new_generation or not state.record else tojson(deltawave._wave_in(state.record.select)) -%}
  {%- set batch = {'batch_id': state.record.batch_id if state.record else 0, 'attempt': job.attempt} -%}
  {%- set works = [] -%}
  {%- set late = [] -%}
  {%- set shrunken = [] -%}
  {%- for row in deltawave._ask_library(job, batch, 'pending_work', {'record': record}) -%}
    {%- if row.kind == 'late' -%}
      {%- do late.append(row.text) -%}
    {%- elif row.kind == 'shrunken' -%}
      {%- do shrunken.append(row.text) -%}
    {%- else -%}
      {%- do works.append(fromjson(row.text)) -%}
    {%- endif -%}
  {%- endfor -%}
  {%- if late -%}
    {%- do exceptions.warn(deltawave._message('late_days', {'model': job.name, 'days': late | join(', ')})) -%}
  {%- endif -%}
  {%- if shrunken and not deltawave._is_accepted(job) -%}
    {%- do deltawave._fail('shrunken_days', {'model': job.name, 'days': shrunken | join(', ')}) -%}
  {%- endif -%}
  {%- if state.is_new_generation and not works -%}
    {%- do deltawave._fail('no_days', {'model': job.name}) -%}
  {%- endif -%}
  {{ return(works) }}
{%- endmacro -%}
