{# Brings one table up to its definition and to the current files. #}
{%- macro _create_external_table(definition) -%}
  {%- do deltawave._log_source(definition, definition.file_format ~ ' in ' ~ definition.location) -%}
  {%- do deltawave._warn_of_unsafe_options(definition.name, definition.file_format, definition.options) -%}
  {#-
    Spark fails on a missing folder, and names its path. Creating the table would create the folder: a mistyped
    location would be an empty table.
  -#}
  {%- do run_query('describe query select path from binaryFile.' ~ deltawave._quoted(definition.location)) -%}
  {%- do run_query('create schema if not exists ' ~ deltawave._quoted(definition.relation.schema)) -%}

  {%- do deltawave._drop_outdated(definition) -%}
  {%- set files = deltawave._files_definition(definition) -%}
  {%- do run_query(deltawave._external_table_sql(files)) -%}
  {%- if definition.partitions -%}
    {%- set found = deltawave._find_partitions(
      definition.name, files.relation, definition.location, definition.partitions
    ) -%}
    {%- if definition.format -%}
      {%- do deltawave._folder_values(definition.name, found, definition.partitions) -%}
    {%- endif -%}
    {%- do deltawave._log_source(definition, deltawave._count(found | length, 'partition', 'partitions')) -%}
  {%- endif -%}
  {# A session that has already read the table keeps its list of files. #}
  {%- do run_query('refresh table ' ~ files.relation) -%}
  {%- if definition.format -%}
    {#-
      Spark checks regular expressions and the patterns of dates when it uses them: once here, on no text, before
      anything is made of them. The good records are under the source's name, the others in its quarantine. Both are
      read from the files each time, so no record is lost in between.
    -#}
    {%- do run_query('select ' ~ deltawave._expressions(definition.format) | join(', ')) -%}
    {%- for relation, sql in [
      (definition.relation, deltawave._good_records(definition)),
      (definition.quarantine, deltawave._bad_records(definition)),
    ] -%}
      {%- do run_query('create or replace view ' ~ relation ~ deltawave._made_from(definition) ~ '\nas\n' ~ sql) -%}
    {%- endfor -%}
  {%- elif definition.folders -%}
    {%- set headers = deltawave._sync_headers(
      definition, found, deltawave._external_table(definition.folders), deltawave._external_table(definition.relation)
    ) -%}
    {%- set count = deltawave._count(headers.tables | length, 'header', 'different headers') -%}
    {%- do deltawave._log_source(definition, count) -%}
  {%- endif -%}
{%- endmacro -%}

{# Drops relations of another definition, after checking that create_external_sources made each of them. #}
{%- macro _drop_outdated(definition) -%}
  {%- set drops = [] -%}
  {%- set made = [definition.relation, definition.lines, definition.quarantine, definition.folders] -%}
  {%- set headers = deltawave._header_relations(definition) if definition.folders else [] -%}
  {%- for relation in made + headers if relation -%}
    {%- set table = deltawave._external_table(relation) -%}
    {%- if table and not table.fingerprint -%}
      {%- set facts = {'source': definition.name, 'relation': relation | string} -%}
      {%- do deltawave._fail('external_foreign_relation', facts) -%}
    {%- elif table and table.fingerprint != definition.fingerprint -%}
      {%- do drops.append('drop ' ~ ('view ' if table.is_view else 'table ') ~ relation) -%}
    {%- endif -%}
  {%- endfor -%}
  {%- if drops -%}
    {%- do deltawave._log_source(definition, 'the definition has changed, so the table is recreated') -%}
  {%- endif -%}
  {%- for sql in drops -%}{%- do run_query(sql) -%}{%- endfor -%}
{%- endmacro -%}

{%- macro _log_source(definition, text) -%}
  {%- do log('deltawave: ' ~ definition.name ~ ': ' ~ text, info=true) -%}
{%- endmacro -%}

{#
  The definition of the table over the files: with a format definition a table of their lines, as bytes. Where folders
  are read by their own headers, a table that has only the folders as partitions. Otherwise the source's own.
#}
{%- macro _files_definition(definition) -%}
  {%- set relation = definition.folders or definition.lines -%}
  {%- if not relation -%}{{ return(definition) }}{%- endif -%}
  {%- set options = {} if definition.folders else dict(definition.options) -%}
  {%- if not definition.folders and definition.format.record_separator -%}
    {%- do options.update(lineSep=definition.format.record_separator) -%}
  {%- endif -%}
  {{ return(dict(
    definition, relation=relation, file_format='text', options=options,
    columns=[{'name': 'record', 'data_type': 'string'}]
  )) }}
{%- endmacro -%}

{# Adds partitions for new folders and drops those of deleted ones; returns all, as `show partitions` lists them. #}
{%- macro _find_partitions(name, relation, location, partitions) -%}
  {%- do run_query('msck repair table ' ~ relation ~ ' sync partitions') -%}
  {%- set found = run_query('show partitions ' ~ relation).rows | map(attribute=0) | list -%}
  {%- if not found -%}
    {%- do deltawave._fail('external_without_partitions', {
      'source': name,
      'location': location,
      'folder': partitions[0].name ~ '=<' ~ partitions[0].data_type ~ '>',
    }) -%}
  {%- endif -%}
  {{ return(found) }}
{%- endmacro -%}

{#
  What the catalog knows about a source's table: {provider, location, partitions, fingerprint, is_view, text,
  headers_until}; none if there is no table. Only a table made by create_external_sources has a fingerprint;
  headers_until is -1 unless folders are read by their headers (see _sync_headers).
#}
{%- macro _external_table(relation) -%}
  {%- if not deltawave._in_catalog(relation) -%}{{ return(none) }}{%- endif -%}

  {%- set facts = {} -%}
  {%- set partitions = [] -%}
  {%- set section = namespace(name='columns') -%}
  {%- for row in run_query('describe table extended ' ~ relation).rows -%}
    {%- set fact = row[0] or '' -%}
    {%- if fact.startswith('# ') and fact != '# col_name' -%}
      {%- set section.name = fact -%}
    {%- elif section.name == '# Partition Information' and fact and fact != '# col_name' -%}
      {%- do partitions.append({'name': fact, 'data_type': row[1]}) -%}
    {%- elif section.name not in ['columns', '# Partition Information'] -%}
      {%- do facts.update({fact: row[1] or ''}) -%}
    {%- endif -%}
  {%- endfor -%}
  {%- set properties = facts.get('Table Properties', '') -%}
  {%- set fingerprint = modules.re.search('deltawave\\.external=(\\w+)', properties) -%}
  {%- set headers_until = modules.re.search('deltawave\\.headers_until=(-?\\d+)', properties) -%}
  {{ return({
    'provider': facts.get('Provider', '') | lower,
    'location': facts.get('Location', ''),
    'partitions': partitions,
    'fingerprint': fingerprint.group(1) if fingerprint else none,
    'is_view': facts.get('Type') == 'VIEW',
    'text': facts.get('View Text', ''),
    'headers_until': headers_until.group(1) | int if headers_until else -1,
  }) }}
{%- endmacro -%}

{# The property by which _external_table knows a relation and its definition. #}
{%- macro _made_from(definition) -%}
  {{ return("\ntblproperties ('deltawave.external' = " ~ deltawave._literal(definition.fingerprint) ~ ')') }}
{%- endmacro -%}

{%- macro _external_table_sql(definition) -%}
create table if not exists {{ definition.relation }} (
    {%- for column in definition.columns + definition.partitions %}
    {{ deltawave._quoted(column.name) }} {{ column.data_type }}{{ ',' if not loop.last }}
    {%- endfor %}
)
using {{ definition.file_format }}
{%- if definition.options %}
options (
    {%- for option, value in definition.options.items() %}
    {{ deltawave._literal(option) }} {{ deltawave._literal(value | string | lower if value is boolean else value) }}{{ ',' if not loop.last }}
    {%- endfor %}
)
{%- endif %}
{%- if definition.partitions %}
partitioned by ({{ deltawave._quoted_list(definition.partitions | map(attribute='name')) | join(', ') }})
{%- endif %}
location {{ deltawave._literal(definition.location) }}
{{- deltawave._made_from(definition) }}
{%- endmacro -%}
