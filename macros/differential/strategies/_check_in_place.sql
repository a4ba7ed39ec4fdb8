{#
  Refuses in_place for a select that is not all rows of Parquet files: Python then reads the files that Spark names, and nothing else. Partitions
  and views add columns, conditions and expressions that the files do not hold.
#}
{%- macro _check_in_place(job) -%}
  {#- With --empty, sources are selects, and none of their files is read. -#}
  {%- if not job.settings.in_place or flags.EMPTY -%}
    {{ return(none) }}
  {%- endif -%}
  {%- set sql = modules.re.sub('(?s)--[^\n]*|/\\*.*?\\*/', ' ', job.sql).strip().rstrip(';').strip() -%}
  {%- set part = '(?:`[^`]*(?:``[^`]*)*`|[^\\s`.()]+)' -%}
  {%- set plain = modules.re.fullmatch('(?i)select\\s+\\*\\s+from\\s+(' ~ part ~ '(?:\\.' ~ part ~ ')*)', sql) -%}
  {%- if job.settings.remote or not plain -%}
    {%- do deltawave._fail('in_place', {'model': job.name, 'problem': "the model's select is another"}) -%}
  {%- endif -%}
  {%- set relation = plain.group(1) -%}
  {%- if not modules.re.match('(?i)`?parquet`?\\.`[^`]*/', relation) -%}
    {%- set facts = {} -%}
    {%- for row in deltawave._run(job, 'describe extended ' ~ relation).rows -%}{%- do facts.update({row[0]: row[1]}) -%}{%- endfor -%}
    {%- if '# Partition Information' in facts -%}
      {%- do deltawave._fail('in_place', {'model': job.name, 'problem': relation ~ ' has partitions'}) -%}
    {%- elif facts['Provider'] | lower != 'parquet' -%}
      {%- set kind = 'a view' if 'VIEW' in facts['Type'] | upper else 'of format ' ~ facts['Provider'] | lower -%}
      {%- do deltawave._fail('in_place', {'model': job.name, 'problem': relation ~ ' is ' ~ kind}) -%}
    {%- endif -%}
  {%- endif -%}
{%- endmacro -%}
