{#
  A strategy by keys and hashes, which a Python library compares with the dump (LG96 3.1): it reads the rows that differ, and the keys of deleted
  rows. Before images come from the log, if it still has them.
#}
{%- macro default___slice_by_hashes(job, batch, last) -%}
  {%- if not last -%}
    {%- do deltawave._create_slice(job, batch, deltawave._named_rows(job, batch)) -%}
    {{ return(deltawave._reading(incoming=batch.landed)) }}
  {%- endif -%}
  {%- do deltawave._create_slice(job, batch, deltawave._rows_by_hashes(job, batch, last)) -%}
  {{ return(deltawave._reading_of_differing(job, batch, 'is_there or was_kept')) }}
{%- endmacro -%}

{# A select of the dump's rows that differ from the hashes of the state: the log's columns, was_kept, is_there. #}
{%- macro _rows_by_hashes(job, batch, last) -%}
  {%- set relations = dict(deltawave._known_hashes(job, batch, last), new=deltawave._in_parentheses(deltawave._named_rows(job, batch))) -%}
  {%- set options = deltawave._hash_options(job, batch, 'rows') -%}
  {%- for option in job.strategy.options -%}{%- do options.update({option: job.settings[option]}) -%}{%- endfor -%}
  {%- set view = deltawave._view_by_python(job, batch, job.strategy.library ~ '.differing_rows', relations, options, 'differing') -%}
  {{ return('select * from ' ~ view) }}
{%- endmacro -%}

{%- macro _named_rows(job, batch) -%}
  {{ return('select ' ~ deltawave._dump_names(batch) | join(', ') ~ ' from (\n' ~ deltawave._rows_of_dump(job, batch) ~ '\n)') }}
{%- endmacro -%}
