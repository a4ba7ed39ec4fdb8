{# A source's external block, checked: everything that defines the table, and a fingerprint of it. #}
{%- macro _external_definition(node) -%}
  {%- set name = deltawave._external_name(node) -%}
  {%- set external = deltawave._external_fields(name, node.external) -%}

  {%- set partitions = deltawave._external_partitions(name, node, external.partitions or []) -%}
  {%- set partition_names = partitions | map(attribute='name') | map('lower') | list -%}
  {%- set format = none -%}
  {%- if external.file_format in deltawave._record_formats() -%}
    {%- set format = deltawave._format_definition(name, external.file_format, external.block, partition_names) -%}
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

  {#-
    Spark resolves a relative location from its warehouse folder, which nobody means. Resolved from the project's folder
    it works for every session that sees this machine's disk; otherwise give a path or URL that the cluster sees.
  -#}
  {%- set is_absolute = modules.re.match('/|[A-Za-z][A-Za-z0-9+.-]*:', external.location) -%}
  {%- set definition = {
    'name': name,
    'location': external.location if is_absolute else adapter.config.project_root ~ '/' ~ external.location,
    'file_format': external.file_format,
    'options': deltawave._with_safe_options(external.file_format, external.options),
    'columns': columns,
    'partitions': partitions,
  } -%}
  {#- Is each folder read by its own header? Not where options take columns by position. -#}
  {%- set values = deltawave._lowered(definition.options) -%}
  {%- set has_headers = external.file_format == 'csv' and partitions != [] and values.header == 'true'
      and values.enforceschema == 'false' -%}
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

{# With a format definition the yml's columns only describe its fields, and have the same types if they have any. #}
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
  The block's fields, checked: {location, file_format, options, partitions, checksums, block: all of them}. `using` is
  dbt-external-tables' name for the format.
#}
{%- macro _external_fields(name, external) -%}
  {%- set file_format = external.file_format or external.using -%}
  {%- set more = ['partitions'] + deltawave._format_options(file_format | lower) if deltawave._has_records(external)
      else ['options', 'partitions'] -%}
  {%- set block = deltawave._known_fields(
    name, 'external', external, ['location', 'file_format', 'using'] + more + ['checksums']
  ) -%}
  {%- if block.location is not string or not block.location.strip() -%}
    {%- do deltawave._fail('external_location', {'source': name, 'value': block.location}) -%}
  {%- endif -%}
  {%- if block.file_format and block.using and block.file_format | lower != block.using | lower -%}
    {%- do deltawave._fail('external_two_formats', {
      'source': name, 'file_format': block.file_format, 'using': block.using,
    }) -%}
  {%- endif -%}
  {%- set formats = deltawave._external_formats() + deltawave._record_formats() -%}
  {%- if file_format | lower not in formats -%}
    {%- do deltawave._fail('external_format', {
      'source': name, 'value': file_format, 'allowed': formats | join(', '),
    }) -%}
  {%- endif -%}
  {%- set options = block.get('options') or {} -%}
  {%- if options is not mapping -%}
    {%- do deltawave._fail('external_options', {'source': name, 'value': options}) -%}
  {%- endif -%}
  {%- set checksums = block.checksums -%}
  {%- if checksums is not none
      and (checksums is not string or not deltawave._whole_match('[^/\\\\?\\[\\]{}]+', checksums)) -%}
    {%- do deltawave._refuse_value(
      name, 'checksums', checksums,
      "the name of the checksum files in the folders of the data, in which * stands for any text, like '*.sha256'"
    ) -%}
  {%- endif -%}
  {{ return(dict(block, file_format=file_format | lower, options=options, block=block)) }}
{%- endmacro -%}

{%- macro _external_formats() -%}{{ return(['csv', 'json', 'parquet', 'orc', 'avro', 'text', 'xml']) }}{%- endmacro -%}

{# Partition columns as {name, data_type}; one given only by name takes the type of the column with that name. #}
{%- macro _external_partitions(name, node, given) -%}
  {%- set types = deltawave._types_of(node.columns.values()) -%}
  {%- set partitions = [] -%}
  {%- for partition in given -%}
    {%- if partition is string -%}
      {%- do partitions.append({'name': partition, 'data_type': types.get(partition | lower)}) -%}
    {%- else -%}
      {%- set known = ['name', 'data_type', 'description', 'meta'] -%}
      {%- do deltawave._known_fields(name, 'external.partitions', partition, known) -%}
      {%- do partitions.append({'name': partition.name, 'data_type': partition.data_type}) -%}
    {%- endif -%}
  {%- endfor -%}
  {{ return(partitions) }}
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
