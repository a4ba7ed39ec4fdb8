{# Drops the parts that attempts which were killed or lost have left in tables of the wave index. #}
{%- macro _sweep_parts(job, record) -%}
  {%- if record and job.settings.update_technique != 'packed_shadow' -%}
    {%- set batch = {'batch_id': record.batch_id, 'attempt': job.attempt} -%}
    {%- set options = {'record': tojson(deltawave._wave_in(record.select)), 'batch': record.batch_id} -%}
    {%- for row in deltawave._ask_library(job, batch, 'leftovers', options) -%}
      {%- do deltawave._run(job, row.text) -%}
    {%- endfor -%}
  {%- endif -%}
{%- endmacro -%}
