{#
  The columns of the select that the dump of a date does not have, in lower case: all headers of its folders lack a column of that name, and the select
  gives no value for it. As in a table without that column, on_schema_change says what happens.
#}
{%- macro _missing_columns(job, found) -%}
  {%- set missing = [] -%}
  {%- for name, values in found.filled.items() if values == 0 -%}
    {%- set folders = {'all': 0, 'without': 0} -%}
    {%- for source in job.dated_sources if source.headers -%}
      {%- for dump in deltawave._announced_dumps(job, source, '') if dump.batch_at == found.batch_at -%}
        {%- for table in source.headers -%}
          {%- set count = dump.folders | select('in', table.folders) | list | length -%}
          {%- set is_without = name in table.missing | map('lower') -%}
          {%- do folders.update({'all': folders['all'] + count, 'without': folders['without'] + (count if is_without else 0)}) -%}
        {%- endfor -%}
      {%- endfor -%}
    {%- endfor -%}
    {%- if folders['all'] and folders['all'] == folders['without'] -%}{%- do missing.append(name) -%}{%- endif -%}
  {%- endfor -%}
  {{ return(missing) }}
{%- endmacro -%}

{# The columns of the select that the dump has. #}
{%- macro _columns_of_dump(job, dump) -%}
  {%- set columns = [] -%}
  {%- for column in job.select_columns if column.name | lower not in dump.missing -%}{%- do columns.append(column) -%}{%- endfor -%}
  {{ return(columns) }}
{%- endmacro -%}

{# Columns of the select with names that some header lacks. The key is not among them: a dump without it is refused. #}
{%- macro _sparse_columns(job) -%}
  {%- set missing = [] -%}
  {%- for source in job.dated_sources -%}
    {%- for table in source.headers -%}{%- do missing.extend(table.missing | map('lower')) -%}{%- endfor -%}
  {%- endfor -%}
  {%- set names = [] -%}
  {%- for column in job.select_columns if not column.is_key and column.name | lower in missing -%}{%- do names.append(column.name) -%}{%- endfor -%}
  {{ return(names) }}
{%- endmacro -%}
