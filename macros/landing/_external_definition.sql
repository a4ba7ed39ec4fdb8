{# A source's external block, checked: everything that defines the table, and a fingerprint of it. #}
{%- macro _external_definition(node) -%}
  {%- set name = deltawave._external_name(node) -%}
  {%- set external = deltawave._external_fields(name, node.external) -%}

  {%- set partitions = deltawave._external_partitions(name, node, external.partitions or []) -%}
  {%- set partition_names = partitions | map(attribute='name') | map('lower') | list -%}
  {%- set format = none -%}
  {%- if external.file_format in deltawave._record_formats() -%}
    {%- set format = deltawave._format_definition(name, external.file_format, node.external, partition_names) -%}
    {%- do deltawave._check_listed_columns(name, node, format.fields, partition_names) -%}
    {#- The views and the quarantine add columns of their own to those of the folders. -#}
    {%- for column in partition_names if column in ['file', 'line_number', 'record', 'reason', 'problem']
        or column.startswith('_') -%}
      {%- do deltawave._fail('format_partition', {'source': name, 'column': column}) -%}
    {%- endfor -%}
  {%- endif -%}
  {%- set columns = [] -%}
  {%- for column in (format.fields if format else node.columns.values())
      if column.name | lower not in partition_names -%}
    {%- do columns.append({'name': column.name, 'data_type': column.data_type}) -%}
  {%- endfor -%}
  {%- if not columns -%}
    {%- do deltawave._fail('external_without_columns', {'source': name}) -%}
  {%- endif -%}
  {%- for column in columns + partitions if not column.data_type -%}
    {%- do deltawave._fail('external_column_type', {'source': name, 'column': column.name}) -%}
  {%- endfor -%}

  {%- set definition = {
    'name': name,
    'location': deltawave._absolute_location(external.location),
    'file_format': external.file_format,
    'options': deltawave._with_safe_options(external.file_format, external.options),
    'columns': columns,
    'partitions': partitions,
  } -%}
  {%- set has_headers = deltawave._has_headers(external.file_format, definition.options, partitions) -%}
  {%- if format -%}{%- do definition.update(format=format) -%}{%- endif -%}
  {%- if has_headers -%}{%- do definition.update(columns_by='header') -%}{%- endif -%}
  {%- if external.checksums -%}
    {%- do deltawave._check_checksum_names(definition, external.checksums) -%}
    {%- do definition.update(checksums=external.checksums) -%}
  {%- endif -%}
  {%- do definition.update(fingerprint=local_md5(tojson(definition, sort_keys=true))) -%}
  {%- do definition.update(relation=deltawave._external_relation(node)) -%}
  {%- if format -%}
    {%- do definition.update(
      lines=deltawave._external_relation(node, '__lines'), quarantine=deltawave._external_relation(node, '__quarantine')
    ) -%}
  {%- elif has_headers -%}
    {%- do definition.update(folders=deltawave._external_relation(node, '__folders')) -%}
  {%- endif -%}
  {{ return(definition) }}
{%- endmacro -%}

{# Is each folder read by its own header? Not where options take columns by position. #}
{%- macro _has_headers(file_format, options, partitions) -%}
  {%- set values = {} -%}
  {%- for option, value in options.items() -%}
    {%- do values.update({option | lower: value | string | lower}) -%}
  {%- endfor -%}
  {{ return(
    file_format == 'csv' and partitions != [] and values['header'] == 'true' and values['enforceschema'] == 'false'
  ) }}
{%- endmacro -%}

{#
  With a format definition the yml's columns only add descriptions: each is one of its fields, with the same type if it
  has one.
#}
{%- macro _check_listed_columns(name, node, fields, partition_names) -%}
  {%- set types = {} -%}
  {%- for field in fields -%}{%- do types.update({field.name: field.data_type}) -%}{%- endfor -%}
  {%- for column in node.columns.values() if column.name | lower not in partition_names -%}
    {%- if column.name not in types -%}
      {%- do deltawave._fail('format_column', {
        'source': name, 'column': column.name, 'fields': types.keys() | join(', '),
      }) -%}
    {%- elif column.data_type and column.data_type | lower | replace(' ', '') != types[column.name] -%}
      {%- do deltawave._fail('format_column_type', {
        'source': name, 'column': column.name, 'type': column.data_type, 'field_type': types[column.name],
      }) -%}
    {%- endif -%}
  {%- endfor -%}
{%- endmacro -%}

{%- macro _external_name(node) -%}{{ return(node.source_name ~ '.' ~ node.name) }}{%- endmacro -%}

{%- macro _external_relation(node, suffix='') -%}
  {{ return(deltawave._relation(node.schema, node.identifier ~ suffix)) }}
{%- endmacro -%}

{#
  The block's fields, checked: {location, file_format, options, partitions, checksums}. `using` is dbt-external-tables'
  name for the format.
#}
{%- macro _external_fields(name, external) -%}
  {%- set formats = deltawave._external_formats() + deltawave._record_formats() -%}
  {%- set known = ['location', 'file_format', 'using', 'options', 'partitions'] -%}
  {%- if deltawave._has_records(external) -%}
    {%- set known = known | reject('eq', 'options') | list + deltawave._format_options(
      (external.file_format or external.using) | lower
    ) -%}
  {%- endif -%}
  {%- do deltawave._require_known_fields(name, 'external', external, known + ['checksums']) -%}
  {%- if external.location is not string or not external.location.strip() -%}
    {%- do deltawave._fail('external_location', {'source': name, 'value': external.location}) -%}
  {%- endif -%}
  {%- if external.file_format and external.using and external.file_format | lower != external.using | lower -%}
    {%- do deltawave._fail('external_two_formats', {
      'source': name, 'file_format': external.file_format, 'using': external.using,
    }) -%}
  {%- endif -%}
  {%- set file_format = external.file_format or external.using -%}
  {%- if file_format | lower not in formats -%}
    {%- do deltawave._fail('external_format', {
      'source': name, 'value': file_format, 'allowed': formats | join(', '),
    }) -%}
  {%- endif -%}
  {%- set options = external.get('options') or {} -%}
  {%- if options is not mapping -%}
    {%- do deltawave._fail('external_options', {'source': name, 'value': options}) -%}
  {%- endif -%}
  {%- set checksums = external.get('checksums') -%}
  {%- if checksums is not none
      and (checksums is not string or not deltawave._whole_match('[^/\\\\?\\[\\]{}]+', checksums)) -%}
    {%- do deltawave._fail('external_value', {
      'source': name, 'option': 'checksums', 'value': checksums,
      'allowed': "the name of the checksum files in the folders of the data, in which * stands for any text, like '*.sha256'",
    }) -%}
  {%- endif -%}
  {{ return({
    'location': external.location,
    'file_format': file_format | lower,
    'options': options,
    'partitions': external.get('partitions'),
    'checksums': checksums,
  }) }}
{%- endmacro -%}

{%- macro _external_formats() -%}{{ return(['csv', 'json', 'parquet', 'orc', 'avro', 'text', 'xml']) }}{%- endmacro -%}

{# Partition columns as {name, data_type}; one given only by name takes the type of the column with that name. #}
{%- macro _external_partitions(name, node, given) -%}
  {%- set types = deltawave._types_of(node.columns.values()) -%}
  {%- set partitions = [] -%}
  {%- for partition in given -%}
    {%- if partition is mapping -%}
      {%- do deltawave._require_known_fields(name, 'external.partitions', partition, [
        'name', 'data_type', 'description', 'meta',
      ]) -%}
    {%- endif -%}
    {%- set partition_name = partition if partition is string else partition.name -%}
    {%- set data_type = types.get(partition_name | lower) if partition is string else partition.data_type -%}
    {%- do partitions.append({'name': partition_name, 'data_type': data_type}) -%}
  {%- endfor -%}
  {{ return(partitions) }}
{%- endmacro -%}

{#
  Spark resolves a relative location from its warehouse folder, which nobody means. Resolved from the project's folder
  it works for every session that sees this machine's disk; otherwise give a path or URL that the cluster sees.
#}
{%- macro _absolute_location(location) -%}
  {%- if location.startswith('/') or modules.re.match('[A-Za-z][A-Za-z0-9+.-]*:', location) -%}
    {{ return(location) }}
  {%- endif -%}
  {{ return(adapter.config.project_root ~ '/' ~ location) }}
{%- endmacro -%}

{#
  Refuses checksum files that Spark would read as rows. It passes over names that begin with _ or a dot; without
  partitions, pathGlobFilter chooses the files (Spark ignores it for partitioned tables); and the view over the headers
  of dated CSV files leaves checksum files out.

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
