{#
  A digest of the files of each date, known without reading a row: {date: digest}. Empty if rows of a date may come
  from anywhere else: every relation in Spark's plan of the select has to be a table over dated folders, and a
  condition on the date has to become one on the folders' own date.
#}
{%- macro _files_of_dates(job) -%}
  {%- set sources = [] -%}
  {%- for source in job.dated_sources if source.is_read -%}{%- do sources.append(source) -%}{%- endfor -%}
  {%- set columns = deltawave._date_columns(job, sources) if sources else {} -%}
  {%- set parts = {} -%}
  {%- for source in sources if columns -%}
    {%- if source.listed is none -%}
      {%- do source.update(listed=deltawave._listed_folders(source.location, source.partitions, source.options)) -%}
    {%- endif -%}
    {%- for dump in deltawave._announced_dumps(job, source) if dump.column == columns.get(source.name) -%}
      {%- for folder in dump.folders -%}
        {%- do parts.setdefault(dump.snapshot_date, []).append([
          source.name, folder, source.listed.get(folder, {}).get('files', ''),
        ]) -%}
      {%- endfor -%}
    {%- endfor -%}
  {%- endfor -%}
  {%- set files = {} -%}
  {%- for date, part in parts.items() -%}{%- do files.update({date: local_md5(tojson(part | sort))}) -%}{%- endfor -%}
  {{ return(files) }}
{%- endmacro -%}

{#
  The partition column that dates each source's rows, {source: column}, as Spark's plan shows it; empty if the plan
  reads anything else.
#}
{%- macro _date_columns(job, sources) -%}
  {%- set found = [] -%}
  {#- A value that hardly any select names itself. -#}
  {%- set value = '-97' if job.settings.snapshot_order == 'number' else '0001-01-01' -%}
  {%- for scan in deltawave._scans(deltawave._plan_of_date(job, '<>', value)) -%}
    {%- set source = deltawave._source_of_line(sources, scan.line) -%}
    {%- set is_filter = scan.parent.startswith('Filter ') -%}
    {%- do found.append((
      source.name if source else none,
      deltawave._date_of_condition(source, scan.parent, value) if source and is_filter else none
    )) -%}
  {%- endfor -%}
  {%- set columns = dict(found) -%}
  {{ return(
    columns if none not in found | map(attribute=1) and found | unique | list | length == columns | length else {}
  ) }}
{%- endmacro -%}

{# What the optimized plan reads: [{line, parent}], the lines without a deeper one below, and the line before each. #}
{%- macro _scans(plan) -%}
  {%- set lines = plan.split('== Optimized Logical Plan ==')[1].split('== Physical Plan ==')[0].strip().splitlines() -%}
  {%- set depths = [] -%}
  {%- for line in lines -%}{%- do depths.append(line | length - line.lstrip(' :+-') | length) -%}{%- endfor -%}
  {%- set scans = [] -%}
  {%- for place in range(lines | length) if (depths + [0])[place + 1] <= depths[place] -%}
    {%- do scans.append({'line': lines[place], 'parent': ([''] + lines)[place].lstrip(' :+-')}) -%}
  {%- endfor -%}
  {{ return(scans) }}
{%- endmacro -%}

{# The source whose table a line of the plan reads, or none. #}
{%- macro _source_of_line(sources, line) -%}
  {%- for source in sources -%}
    {%- for table in source.tables -%}
      {%- set name = modules.re.escape((table.schema ~ '.' ~ table.identifier ~ '[') | lower) -%}
      {%- if modules.re.match('[ :+-]*relation (\\w+\\.)?' ~ name, line | lower) -%}{{ return(source) }}{%- endif -%}
    {%- endfor -%}
  {%- endfor -%}
  {{ return(none) }}
{%- endmacro -%}

{# The partition column whose own value, or its cast, a condition compares with a value. #}
{%- macro _date_of_condition(source, condition, value) -%}
  {%- set found = modules.re.search(
    'not \\((cast\\()?([^#()]+)#\\d+( as \\w+\\))? = ' ~ value ~ '(?!\\d)', condition | lower
  ) -%}
  {%- set names = [] -%}
  {%- for partition in source.partitions if found and partition.name | lower == found.group(2) -%}
    {%- do names.append(partition.name) -%}
  {%- endfor -%}
  {{ return(names | first or none) }}
{%- endmacro -%}
