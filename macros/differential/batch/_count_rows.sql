{# The rows of the table after a batch of which only a part was landed, and those of its dump where the comparison has read all of it. #}
{%- macro _count_rows(job, batch, counts) -%}
  {%- set rows_new = batch.rows_old + counts['insert'] - counts['delete'] -%}
  {#- The dump has the rows that are kept, except that quarantined rows take the place of those that are held. -#}
  {%- set rows_aside = batch.result.rows_dump - batch.result.rows_new -%}
  {%- if job.strategy.reads == 'differences' -%}{%- do deltawave._update(batch.result, rows_dump=rows_new + rows_aside) -%}{%- endif -%}
  {%- do deltawave._update(batch.result, rows_new=rows_new) -%}
  {#- Where only rows that differ are landed, an empty dump is not noticed earlier. -#}
  {%- if job.strategy.checksums == 'rows' -%}{%- do deltawave._check_rows(job, batch, rows_new + batch.result.quarantined) -%}{%- endif -%}
  {%- if job.strategy.reads == 'differences' -%}{%- do deltawave._check_expected_rows(job, batch, batch.result.rows_dump) -%}{%- endif -%}
{%- endmacro -%}
