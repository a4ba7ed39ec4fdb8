{#
  The values that folders name, as texts in the order of the partitions: {folder: [value]}. Refuses a folder whose name is no value of its partition's
  type: Spark makes such values null, and their records would be lost in the join with the facts about their files.

  found: partitions as `show partitions` lists them.
#}
{%- macro _folder_values(name, found, partitions) -%}
  {%- set values = {} -%}
  {%- for folder in found -%}{%- do values.update({folder: []}) -%}{%- endfor -%}
  {%- for partition in partitions -%}
    {%- set place = loop.index0 -%}
    {%- set escaped = {} -%}
    {%- for folder in found -%}{%- do escaped.update({folder: folder.split('/')[place].split('=', 1)[1]}) -%}{%- endfor -%}
    {%- set sql -%}
select
    escaped,
    if(
        escaped = '__HIVE_DEFAULT_PARTITION__', null,
        cast(try_cast(url_decode(replace(escaped, '+', '%2B')) as {{ partition.data_type }}) as string)
    ) as value
from values
    {%- for value in escaped.values() | unique(case_sensitive=true) %}
    ({{ deltawave._literal(value) }}){{ ',' if not loop.last }}
    {%- endfor %} as listed(escaped)
    {%- endset -%}
    {%- set texts = {} -%}
    {%- for row in run_query(sql).rows -%}
      {%- if row[1] is none -%}
        {%- do deltawave._fail('format_null_partition', {
          'source': name, 'folder': partition.name ~ '=' ~ row[0], 'column': partition.name, 'data_type': partition.data_type,
        }) -%}
      {%- endif -%}
      {%- do texts.update({row[0]: row[1]}) -%}
    {%- endfor -%}
    {%- for folder in found -%}{%- do values[folder].append(texts[escaped[folder]]) -%}{%- endfor -%}
  {%- endfor -%}
  {{ return(values) }}
{%- endmacro -%}
