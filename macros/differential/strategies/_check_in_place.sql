{#
  Refuses in_place for a select that is not all rows of Parquet files: Python then reads the files that Spark names, and nothing else. Partitions
  and views add columns, conditions and expressions that are not in the files. Partitions by the dates of dumps do not: each dump is one of them.
#}
{%- macro _check_in_place(job) -%}
  {#- Quoted text is no comment. -#}
  {%- set sql = modules.re.sub('(?s)(`[^`]*`)|--[^\n]*|/\\*.*?\\*/', '\\g<1> ', job.sql).strip().rstrip(';').strip() -%}
  {%- set part = '(?:`[^`]*(?:``[^`]*)*`|[^\\s`.()]+)' -%}
  {%- set plain = deltawave._whole_match('(?i:select\\s+\\*\\s+from\\s+(' ~ part ~ '(?:\\.' ~ part ~ ')*))', sql) -%}
  {%- if job.settings.remote or not plain -%}
    {%- do deltawave._fail('in_place', {'model': job.name, 'problem': "the model's select is another"}) -%}
  {%- endif -%}
  {%- set relation = plain.group(1) -%}
  {%- set date = job.settings.snapshot_date -%}
  {%- if not modules.re.match('(?i)`?parquet`?\\.`[^`]*/', relation) -%}
    {%- set rows = deltawave._run(job, 'describe extended ' ~ relation).rows -%}
    {%- set facts = deltawave._table_facts(rows) -%}
    {%- if facts['Provider'] | lower != 'parquet' -%}
      {%- set kind = 'a view' if 'VIEW' in facts['Type'] | upper else 'of format ' ~ facts['Provider'] | lower -%}
      {%- do deltawave._fail('in_place', {'model': job.name, 'problem': relation ~ ' is ' ~ kind}) -%}
    {#- Spark knows which files belong to a partition only if the catalog has the partitions. -#}
    {%- elif date and (deltawave._partitions_of(rows) != [date | lower] or facts['Partition Provider'] != 'Catalog') -%}
      {%- do deltawave._fail('in_place', {'model': job.name, 'problem': relation ~ ' is not partitioned by ' ~ date ~ ' alone'}) -%}
    {%- elif '# Partition Information' in facts and not date -%}
      {%- do deltawave._fail('in_place', {'model': job.name, 'problem': relation ~ ' has partitions'}) -%}
    {%- endif -%}
  {%- elif date -%}
    {%- do deltawave._fail('in_place', {'model': job.name, 'problem': relation ~ ' is no table, partitioned by ' ~ date}) -%}
  {%- endif -%}
{%- endmacro -%}

{# The columns by which a table is partitioned, from the rows of describe. #}
{%- macro _partitions_of(rows) -%}
  {%- set seen = namespace(is_in=false) -%}
  {%- set names = [] -%}
  {%- for row in rows -%}
    {%- if row[0].startswith('# ') -%}
      {%- set seen.is_in = row[0] == '# Partition Information' or seen.is_in and row[0] == '# col_name' -%}
    {%- elif seen.is_in and row[0] -%}
      {%- do names.append(row[0] | lower) -%}
    {%- endif -%}
  {%- endfor -%}
  {{ return(names) }}
{%- endmacro -%}
