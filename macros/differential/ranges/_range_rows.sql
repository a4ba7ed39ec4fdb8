{#
  The rows that a range aims at: few where only moved ranges are fetched, or looked up, so that little comes with a change, yet no more
  than some thousand ranges; many where each range is a read of its own.
#}
{%- macro _range_rows(job, rows) -%}
  {%- if job.settings.range_rows -%}
    {{ return(job.settings.range_rows) }}
  {%- endif -%}
  {{ return(250000 if job.strategy.ranges == 'compared' and not job.strategy.checksums else [1000, rows // 4000] | max) }}
{%- endmacro -%}
