{#
  A select of the rows of a wave index with a search value, from one day to another, both included; none leaves a side
  open (TimedIndexProbe, WI 2.2). One bucket of each constituent that has days in the range is read.
#}
{%- macro timed_index_probe(relation, value, from_day=none, to_day=none) -%}
  {%- set wave = deltawave._wave_of(relation) -%}
  {%- if not wave -%}{{ return('select * from ' ~ relation) }}{%- endif -%}
  {%- set field = wave.spec.search_field -%}
  {%- set is_multiple = deltawave._is_multiple(wave) -%}
  {%- set type = deltawave._wave_type(wave, field)[6:-1] if is_multiple else deltawave._wave_type(wave, field) -%}
  {%- set column = 'wave_value' if is_multiple else deltawave._quoted(field) -%}
  {%- set wanted = 'cast(' ~ deltawave._literal(value) ~ ' as ' ~ type ~ ')' -%}
  {%- set condition = column ~ ' = ' ~ wanted -%}
  {%- if type in ['float', 'double'] -%}
    {#- Parquet's dictionaries distinguish the two zeros, SQL does not. -#}
    {%- set condition = 'if(' ~ wanted ~ ' = 0, ' ~ column ~ ' between -0.0D and 0.0D, ' ~ condition ~ ')' -%}
  {%- endif -%}
  {{ return(deltawave._as_read(
    relation, deltawave._entries_select(wave, deltawave._days_between(wave, from_day, to_day), condition)
  )) }}
{%- endmacro -%}
