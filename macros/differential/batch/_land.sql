{#
  Lets the strategy read its side of the comparison: a whole dump, or a slice of the source. The state that it may resume from is decided before, and
  only this macro merges its reading into the batch (see _reading).
#}
{%- macro _land(job, batch, last) -%}
  {%- do deltawave._resume(job, batch, last) -%}
  {%- if last -%}{%- do deltawave._check_known_rows(job, batch, last) -%}{%- endif -%}
  {%- if last and job.strategy.reads != 'dump' -%}
    {%- do deltawave._check_slice_columns(job, batch) -%}
    {%- do deltawave._open_kept(job, batch, last) -%}
  {%- endif -%}
  {%- set reading = deltawave._macro_named(job.strategy.reader)(job, batch, last) -%}
  {%- do deltawave._update(batch, **reading) -%}
  {%- do deltawave._update(batch, new=batch.arrived) -%}
{%- endmacro -%}

{# A slice lacks the rows that would give a new column its values, so columns can only change under a strategy that compares whole dumps. #}
{%- macro _check_slice_columns(job, batch) -%}
  {%- set apart = [] -%}
  {%- for column in batch.columns if not (column.in_old and column.in_new) -%}{%- do apart.append(column.name) -%}{%- endfor -%}
  {%- if apart -%}
    {%- do deltawave._fail('slice_columns', {'model': job.name, 'columns': apart | join(', '), 'strategy': job.strategy.name}) -%}
  {%- endif -%}
{%- endmacro -%}
