{#
  Refuses folders whose names are no value of their partition's type. Spark makes such values null, and their records would be lost in the join with
  the facts about their files.

  found: partitions as `show partitions` lists them.
#}
{%- macro _check_folders(name, found, partitions) -%}
  {%- for partition in partitions -%}
    {%- set place = loop.index0 -%}
    {%- set values = [] -%}
    {%- for folder in found -%}{%- do values.append(folder.split('/')[place].split('=', 1)[1]) -%}{%- endfor -%}
    {%- set sql -%}
select escaped
from values
    {%- for value in values | unique(case_sensitive=true) %}
    ({{ deltawave._literal(value) }}){{ ',' if not loop.last }}
    {%- endfor %} as listed(escaped)
where escaped = '__HIVE_DEFAULT_PARTITION__' or try_cast(url_decode(replace(escaped, '+', '%2B')) as {{ partition.data_type }}) is null
order by escaped
limit 1
    {%- endset -%}
    {%- for row in run_query(sql).rows -%}
      {%- do deltawave._fail('format_null_partition', {
        'source': name, 'folder': partition.name ~ '=' ~ row[0], 'column': partition.name, 'data_type': partition.data_type,
      }) -%}
    {%- endfor -%}
  {%- endfor -%}
{%- endmacro -%}
