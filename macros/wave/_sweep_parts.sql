{#
  Drops parts that killed or lost attempts have left in tables of the wave index. Packed indexes have no such parts:
  there, sweeping is needed only if `found`, the decision that the run began with, was made under another technique.
#}
{%- macro _sweep_parts(job, record, found) -%}
  {%- set techniques = [job.settings.update_technique] -%}
  {%- if found -%}{%- do techniques.append(deltawave._wave_in(found.select).spec.technique) -%}{%- endif -%}
  {%- if record and techniques | reject('equalto', 'packed_shadow') | list -%}
    {%- set options = {'record': deltawave._wave_in(record.select), 'batch': record.batch_id} -%}
    {#- A run that has continued meanwhile drops them, and may have dropped a table that had some. -#}
    {%- for drop in deltawave._call_wave(job, 'leftovers', options) if not deltawave._is_overtaken(job, record) -%}
      {%- do deltawave._run(job, drop) -%}
    {%- endfor -%}
  {%- endif -%}
{%- endmacro -%}
