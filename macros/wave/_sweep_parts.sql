{#
  Drops the parts that attempts which were killed or lost have left in tables of the wave index: partitions of decided batches that the record does
  not list. Those of a later batch are left alone, since another run may be writing them.
#}
{%- macro _sweep_parts(job, record) -%}
  {%- if record and job.settings.update_technique != 'packed_shadow' -%}
    {%- set known = {} -%}
    {%- set wave = deltawave._wave_in(record.select) -%}
    {%- for table in wave.indexes.values() | list + wave.replaced if table.table -%}
      {%- do known.update({table.table: known.get(table.table, []) + table.parts | map('first') | list}) -%}
    {%- endfor -%}
    {%- for table, parts in known.items() -%}
      {%- for row in deltawave._run(job, 'show partitions ' ~ table).rows -%}
        {%- set part = (row[0] | string).partition('=')[2] -%}
        {%- if part not in parts and part.partition('_')[0] | int <= record.batch_id -%}
          {%- do deltawave._run(job, 'alter table ' ~ table ~ ' drop if exists partition (wave_part = ' ~ deltawave._literal(part) ~ ')') -%}
        {%- endif -%}
      {%- endfor -%}
    {%- endfor -%}
  {%- endif -%}
{%- endmacro -%}
