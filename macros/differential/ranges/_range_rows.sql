{#
  The target number of rows per range. Small ranges if only changed ranges are fetched or rows are looked up (at most about 4,000); large ones if
  each is a separate read.
#}
{%- macro _range_rows(job, rows) -%}
  {%- if job.settings.range_rows -%}
    {{ return(job.settings.range_rows) }}
  {%- endif -%}
  {{ return(250000 if job.strategy.ranges == 'compared' and not job.strategy.checksums else [1000, rows // 4000] | max) }}
{%- endmacro -%}
