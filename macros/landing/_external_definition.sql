{# A source's external block, checked: everything that defines the table, and a fingerprint of it. #}
{%- macro _external_definition(node) -%}
  {%- set name = deltawave._external_name(node) -%}
  {%- set external = deltawave._external_fields(name, node.external) -%}

  {%- set partitions = deltawave._external_partitions(name, node, external.partitions or []) -%}
  {%- set partition_names = partitions | map(attribute='name') | map('lower') | list -%}
  {%- set columns = [] -%}
  {%- for column in node.columns.values() if column.name | lower not in partition_names -%}
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
  {%- do definition.update(fingerprint=local_md5(tojson(definition, sort_keys=true))) -%}
  {%- do definition.update(relation=deltawave._external_relation(node)) -%}
  {{ return(definition) }}
{%- endmacro -%}

{%- macro _external_name(node) -%}{{ return(node.source_name ~ '.' ~ node.name) }}{%- endmacro -%}

{%- macro _external_relation(node) -%}
  {{ return(api.Relation.create(schema=node.schema, identifier=node.identifier).quote(schema=true, identifier=true)) }}
{%- endmacro -%}

{# The block's fields, checked: {location, file_format, options, partitions}. `using` is dbt-external-tables' name for the format. #}
{%- macro _external_fields(name, external) -%}
  {%- set formats = deltawave._external_formats() -%}
  {%- do deltawave._require_known_fields(name, 'external', external, ['location', 'file_format', 'using', 'options', 'partitions']) -%}
  {%- if external.location is not string or not external.location.strip() -%}
    {%- do deltawave._fail('external_location', {'source': name, 'value': external.location}) -%}
  {%- endif -%}
  {%- if external.file_format and external.using and external.file_format | lower != external.using | lower -%}
    {%- do deltawave._fail('external_two_formats', {'source': name, 'file_format': external.file_format, 'using': external.using}) -%}
  {%- endif -%}
  {%- set file_format = external.file_format or external.using -%}
  {%- if file_format | lower not in formats -%}
    {%- do deltawave._fail('external_format', {'source': name, 'value': file_format, 'allowed': formats | join(', ')}) -%}
  {%- endif -%}
  {%- set options = external.get('options') or {} -%}
  {%- if options is not mapping -%}
    {%- do deltawave._fail('external_options', {'source': name, 'value': options}) -%}
  {%- endif -%}
  {{ return({
    'location': external.location,
    'file_format': file_format | lower,
    'options': options,
    'partitions': external.get('partitions'),
  }) }}
{%- endmacro -%}

{%- macro _external_formats() -%}{{ return(['csv', 'json', 'parquet', 'orc', 'avro', 'text', 'xml']) }}{%- endmacro -%}

{# dbt passes on unknown fields, and fills known ones that are missing with nothing. #}
{%- macro _require_known_fields(name, block, fields, known) -%}
  {%- for option, value in fields.items() if option not in known and value is not none -%}
    {%- do deltawave._fail('unknown_external_option', {'source': name, 'block': block, 'option': option, 'known': known | join(', ')}) -%}
  {%- endfor -%}
{%- endmacro -%}

{# Partition columns as {name, data_type}; one given only by name takes the type of the column with that name. #}
{%- macro _external_partitions(name, node, given) -%}
  {%- set types = {} -%}
  {%- for column in node.columns.values() -%}{%- do types.update({column.name | lower: column.data_type}) -%}{%- endfor -%}
  {%- set partitions = [] -%}
  {%- for partition in given -%}
    {%- if partition is mapping -%}
      {%- do deltawave._require_known_fields(name, 'external.partitions', partition, ['name', 'data_type', 'description', 'meta']) -%}
    {%- endif -%}
    {%- set partition_name = partition if partition is string else partition.name -%}
    {%- set data_type = types.get(partition_name | lower) if partition is string else partition.data_type -%}
    {%- do partitions.append({'name': partition_name, 'data_type': data_type}) -%}
  {%- endfor -%}
  {{ return(partitions) }}
{%- endmacro -%}

{#
  Spark resolves a relative location from its warehouse folder, which nobody means. Resolved from the project's folder it works for every session
  that sees this machine's disk; otherwise give a path or URL that the cluster sees.
#}
{%- macro _absolute_location(location) -%}
  {%- if location.startswith('/') or modules.re.match('[A-Za-z][A-Za-z0-9+.-]*:', location) -%}
    {{ return(location) }}
  {%- endif -%}
  {{ return(adapter.config.project_root ~ '/' ~ location) }}
{%- endmacro -%}
