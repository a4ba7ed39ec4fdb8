{#
  Refuses checksum files that Spark would read as rows. It passes over names that begin with _ or a dot; without partitions, pathGlobFilter chooses the
  files (Spark ignores it for partitioned tables); and the view over the headers of dated CSV files leaves checksum files out.

  definition: the external definition, as far as it is known.
#}
{%- macro _check_checksum_names(definition, checksums) -%}
  {%- set options = definition.options.keys() | map('lower') | list -%}
  {%- set is_hidden = checksums[0] in ['_', '.'] -%}
  {%- set takes_glob = not definition.partitions and not definition.format -%}
  {%- if not is_hidden and not definition.columns_by and not (takes_glob and 'pathglobfilter' in options) -%}
    {%- do deltawave._fail('checksums_as_rows', {
      'source': definition.name,
      'checksums': checksums,
      'remedy': "set a pathGlobFilter in external.options that only the files of data match, like '*.csv'" if takes_glob
        else 'rename them, so that their names begin with _, which Spark passes over',
    }) -%}
  {%- endif -%}
{%- endmacro -%}

{# The condition for files that are not checksum files. name: an expression; checksums: the pattern of their names. #}
{%- macro _is_no_checksum_file(name, checksums) -%}
  {%- set pattern = checksums.replace('%', '\\%').replace('_', '\\_').replace('*', '%') -%}
  {{ return(name ~ ' not like ' ~ deltawave._literal(pattern)) }}
{%- endmacro -%}
