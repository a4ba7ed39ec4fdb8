{#
  Is one bucket enough? Yes if the previous state had few rows and the dump is small: another task would cost more than it saves. Sets bytes_dump. How large
  a first slice is is not known.
#}
{%- macro _is_small(job, batch) -%}
  {%- set small = adapter.dispatch('_small_table', 'deltawave')() -%}
  {%- if batch.rows_old > small.rows -%}
    {{ return(false) }}
  {%- elif job.strategy.reads != 'dump' -%}
    {{ return(batch.rows_old > 0) }}
  {%- endif -%}
  {%- do deltawave._update(batch.result, bytes_dump=deltawave._bytes_of_dump(job, batch)) -%}
  {{ return(batch.result.bytes_dump is not none and batch.result.bytes_dump <= small.bytes) }}
{%- endmacro -%}

{%- macro default___small_table() -%}{{ return({'rows': 100000, 'bytes': 16777216}) }}{%- endmacro -%}
