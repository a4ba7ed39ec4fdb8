{# The record in the text of a wave index's view (deltawave.wave.tables); none in another text. #}
{%- macro _wave_in(text) -%}{{ return(deltawave._mark_in(text).get('wave')) }}{%- endmacro -%}

{#
  The wave index that a transition continues from. A batch that this run has finished for a killed one counts as its
  own: tables that readers saw when the run began stay until the next run.
#}
{%- macro _wave_found(job, record) -%}
  {%- set wave = deltawave._wave_in(record.select) -%}
  {{ return(dict(wave, run=job.attempt) if job.has_finished else wave) }}
{%- endmacro -%}

{# The table of the first constituent that the view names. #}
{%- macro _first_table(record) -%}
  {%- set wave = deltawave._wave_in(record.select) -%}
  {%- set tables = [] -%}
  {%- for number in range(1, wave.spec.index.constituents + 1) -%}
    {%- do tables.append((wave.indexes.get('I' ~ number) or {}).get('table')) -%}
  {%- endfor -%}
  {{ return(tables | select | first) }}
{%- endmacro -%}

{# The days of a part, from text like 5,11-14. #}
{%- macro _days_of_part(text) -%}
  {%- set days = [] -%}
  {%- for run in text.split(',') -%}
    {%- set ends = run.split('-') -%}
    {%- do days.extend(range(ends[0] | int, ends[-1] | int + 1)) -%}
  {%- endfor -%}
  {{ return(days) }}
{%- endmacro -%}

{# The type of a column; a program may spell its name in another case than the table. #}
{%- macro _wave_type(wave, column) -%}
  {%- for name, type in wave.spec.columns if name | lower == column | lower -%}{{ return(type) }}{%- endfor -%}
{%- endmacro -%}

{# Does a row have several search values? #}
{%- macro _is_multiple(wave) -%}
  {{ return(deltawave._wave_type(wave, wave.spec.search_field).startswith('array<')) }}
{%- endmacro -%}
