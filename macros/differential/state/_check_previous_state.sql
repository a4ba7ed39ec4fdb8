{#
  Refuses a previous state whose table is missing, or no longer holds the rows written to it: each missing row would become an insert. A new generation
  compares with nothing, and the log alone is no table of its own.
#}
{%- macro _check_previous_state(job, state) -%}
  {%- set record = state.record -%}
  {%- if record and not state.is_new_generation and deltawave._form_of(record.state).write -%}
    {%- set table = deltawave._attempt_relation(job, record.state) -%}
    {%- if not deltawave._is_there(job, table) -%}
      {%- do deltawave._fail('lost_copy', {'model': job.name, 'copy': table | string}) -%}
    {%- endif -%}
    {%- set rows = deltawave._row_count(job, table) -%}
    {%- if rows != record.state.rows -%}
      {%- do deltawave._fail('changed_copy', {'model': job.name, 'copy': table | string, 'was': record.state.rows, 'is': rows}) -%}
    {%- endif -%}
  {%- endif -%}
{%- endmacro -%}
