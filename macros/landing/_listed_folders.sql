{#
  The files of a source's folders, as the file system lists them; no file is opened: {folder: {files, first, modified}}.
  A folder without files is not in it.

    files     a digest of the names, sizes and times of modification
    first     the path of the first file that is not empty, or none
    modified  the latest time of modification, in milliseconds

  folder: as `show partitions` lists it. options: those of the source; some of them choose files. checksums: the names
  of files that are left out.
#}
{%- macro _listed_folders(location, partitions, options, checksums=none) -%}
  {%- set chosen = {'recursiveFileLookup': 'true'} -%}
  {%- for option, value in (options or {}).items()
      if option | lower in ['pathglobfilter', 'modifiedbefore', 'modifiedafter'] -%}
    {%- do chosen.update({option: value}) -%}
  {%- endfor -%}
  {%- set folder = [] -%}
  {%- for partition in partitions -%}
    {%- do folder.append(modules.re.escape(partition.name) ~ '=[^/]*') -%}
  {%- endfor -%}
  {%- set sql -%}
with files as (
    select
        regexp_extract(path, {{ deltawave._literal('(?i)/(' ~ folder | join('/') ~ ')/[^/]*$') }}, 1) as folder,
        path,
        length,
        unix_millis(modificationTime) as modified
    from {{ deltawave._read_with('binaryFile', location, chosen) }}
)

select
    folder,
    md5(concat_ws('\n', sort_array(collect_list(concat_ws(' ', substring_index(path, '/', -1), length, modified))))) as files,
    min(if(length > 0, path, null)) as first_path,
    max(modified) as modified
from files
where
    folder <> ''
    {%- if checksums %}
    and {{ deltawave._is_no_checksum_file("substring_index(path, '/', -1)", checksums) }}
    {%- endif %}
group by folder
  {%- endset -%}
  {%- set folders = {} -%}
  {%- for row in run_query(sql).rows -%}
    {%- do folders.update({row[0]: {'files': row[1], 'first': row[2], 'modified': row[3] | int}}) -%}
  {%- endfor -%}
  {{ return(folders) }}
{%- endmacro -%}

{#
  A folder or a file as a relation that Spark reads with these options. Spark takes brackets and the like in a path for
  a pattern, unless escaped.
#}
{%- macro _read_with(file_format, path, options) -%}
  {%- set given = [] -%}
  {%- for option, value in options.items() -%}
    {%- do given.append(
      deltawave._literal(option) ~ ' = ' ~ deltawave._literal(value | string | lower if value is boolean else value)
    ) -%}
  {%- endfor -%}
  {%- set escaped = modules.re.sub('([\\[\\]{}*?\\\\])', '\\\\\\1', path) -%}
  {{ return(file_format ~ '.' ~ deltawave._quoted(escaped) ~ ' with (' ~ given | join(', ') ~ ')') }}
{%- endmacro -%}

{#
  The values that folders name, as texts in the order of the partitions: {folder: [value]}. Refuses a folder whose name
  is no value of its partition's
  type: Spark makes such values null, and their records would be lost in the join with the facts about their files.

  found: partitions as `show partitions` lists them.
#}
{%- macro _folder_values(name, found, partitions) -%}
  {%- set values = {} -%}
  {%- for folder in found -%}{%- do values.update({folder: []}) -%}{%- endfor -%}
  {%- for partition in partitions -%}
    {%- set place = loop.index0 -%}
    {%- set escaped = {} -%}
    {%- for folder in found -%}
      {%- do escaped.update({folder: folder.split('/')[place].split('=', 1)[1]}) -%}
    {%- endfor -%}
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
          'source': name, 'folder': partition.name ~ '=' ~ row[0], 'column': partition.name,
          'data_type': partition.data_type,
        }) -%}
      {%- endif -%}
      {%- do texts.update({row[0]: row[1]}) -%}
    {%- endfor -%}
    {%- for folder in found -%}{%- do values[folder].append(texts[escaped[folder]]) -%}{%- endfor -%}
  {%- endfor -%}
  {{ return(values) }}
{%- endmacro -%}
