{#
  What a batch read, and what a full comparison would have read: {dump, full}, in bytes of files. Of a whole dump both are the files that the select
  reads. Of a slice they are those in which its rows were landed and, where the state has whole rows, those of the state: Spark does not report how much
  of the source it read to find the slice. None where that takes another statement to know.
#}
{%- macro _bytes_read(job, batch) -%}
  {%- if job.strategy.reads in ['dump', 'differences'] -%}
    {%- set size = deltawave._bytes_of_dump(job, batch) if batch.result.bytes_dump is none else batch.result.bytes_dump -%}
    {{ return({'dump': size, 'full': size}) }}
  {%- endif -%}
  {%- set state = batch.result.state -%}
  {%- set has_rows = deltawave._form_of(state).has_rows -%}
  {{ return({
    'dump': deltawave._bytes_of(batch.landed),
    'full': deltawave._bytes_of(deltawave._attempt_relation(job, state)) if has_rows else none,
  }) }}
{%- endmacro -%}

{# A database shows no files, and would be connected to once more. #}
{%- macro _bytes_of_dump(job, batch) -%}
  {%- if job.source_bytes is not none -%}{{ return(job.source_bytes) }}{%- endif -%}
  {{ return(none if job.remote else deltawave._bytes_of('(\n' ~ deltawave._rows_of_dump(job, batch) ~ '\n)')) }}
{%- endmacro -%}

{# The size of the files of a table, or of a select in parentheses; none if the session does not list them. #}
{%- macro _bytes_of(relation) -%}
  {%- if not deltawave._runs_python() -%}{{ return(none) }}{%- endif -%}
  {{ return(adapter.call_library('deltawave.source_state.bytes_of', {'select': relation | string}, {})) }}
{%- endmacro -%}
