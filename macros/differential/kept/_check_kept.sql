{#
  Refuses a kept side that is missing, or that no longer holds the rows written to it: each missing row would become an insert. A new generation
  compares with nothing, and if the log serves as the kept side there is no table of its own.
#}
{%- macro _check_kept(job, state) -%}
  {%- set record = state.record -%}
  {%- if not record or state.is_new_generation -%}
    {{ return(none) }}
  {%- endif -%}
  {%- if record.kept.kind != 'log' -%}
    {%- set table = deltawave._attempt_relation(job, record.kept) -%}
    {%- if not deltawave._is_there(job, table) -%}
      {%- do deltawave._fail('lost_copy', {'model': job.name, 'copy': table | string}) -%}
    {%- endif -%}
    {%- set rows = deltawave._row_count(job, table) -%}
    {%- if rows != record.kept.rows -%}
      {%- do deltawave._fail('changed_copy', {'model': job.name, 'copy': table | string, 'was': record.kept.rows, 'is': rows}) -%}
    {%- endif -%}
  {%- endif -%}
{%- endmacro -%}
