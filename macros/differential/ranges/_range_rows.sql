{#
  The target number of rows per range. Small if only moved ranges are fetched, or kept rows are looked up, so that few rows come along with a
  change, yet with at most a few thousand ranges; large if each range is a read of its own.
#}
{%- macro _range_rows(job, rows) -%}
  {%- if job.settings.range_rows -%}
    {{ return(job.settings.range_rows) }}
  {%- endif -%}
  {{ return(250000 if job.strategy.ranges == 'compared' and not job.strategy.checksums else [1000, rows // 4000] | max) }}
{%- endmacro -%}
