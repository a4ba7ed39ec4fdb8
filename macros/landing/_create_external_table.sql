{# Brings one table up to its definition and to the current files. #}
{%- macro _create_external_table(definition) -%}
  {%- set relation = definition.relation -%}
  {%- do log('deltawave: ' ~ definition.name ~ ': ' ~ definition.file_format ~ ' in ' ~ definition.location, info=true) -%}
  {%- do deltawave._warn_of_unsafe_options(definition.name, definition.file_format, definition.options) -%}
  {%- do deltawave._require_location(definition.location) -%}
  {%- do run_query('create schema if not exists ' ~ deltawave._quoted(relation.schema)) -%}

  {%- set table = deltawave._external_table(relation) -%}
  {%- if table and not table.fingerprint -%}
    {%- do deltawave._fail('external_foreign_relation', {'source': definition.name, 'relation': relation | string}) -%}
  {%- endif -%}
  {%- if table and table.fingerprint != definition.fingerprint -%}
    {%- do log('deltawave: ' ~ definition.name ~ ': the definition has changed, so the table is recreated', info=true) -%}
    {%- do run_query('drop table ' ~ relation) -%}
  {%- endif -%}
  {%- do run_query(deltawave._external_table_sql(definition)) -%}

  {%- if definition.partitions -%}
    {%- set found = deltawave._find_partitions(definition.name, relation, definition.location, definition.partitions) -%}
    {%- do log('deltawave: ' ~ definition.name ~ ': ' ~ deltawave._count(found | length, 'partition', 'partitions'), info=true) -%}
  {%- endif -%}
  {# A session that has already read the table keeps its list of files. #}
  {%- do run_query('refresh table ' ~ relation) -%}
{%- endmacro -%}

{#
  Here a missing folder is an error from Spark, which names the path. Without this check, creating the table would create the folder, and a
  mistyped location would become an empty table.
#}
{%- macro _require_location(location) -%}
  {%- do run_query('describe query select path from binaryFile.' ~ deltawave._quoted(location)) -%}
{%- endmacro -%}

{# Adds partitions for new folders and drops those whose folders are gone; returns the partitions as `show partitions` lists them. #}
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
  What the catalog knows of a source's table: {provider, location, partitions, fingerprint}; none if there is no table. Only a table made by
  create_external_sources has a fingerprint.
#}
{%- macro _external_table(relation) -%}
  {%- if not run_query('show schemas like ' ~ deltawave._literal(relation.schema)).rows -%}{{ return(none) }}{%- endif -%}
  {%- set like = 'show tables in ' ~ deltawave._quoted(relation.schema) ~ ' like ' ~ deltawave._literal(relation.identifier) -%}
  {%- if not run_query(like).rows -%}{{ return(none) }}{%- endif -%}

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
  {%- set fingerprint = modules.re.search(modules.re.escape(deltawave._external_property()) ~ '=(\\w+)', facts.get('Table Properties', '')) -%}
  {{ return({
    'provider': facts.get('Provider', '') | lower,
    'location': facts.get('Location', ''),
    'partitions': partitions,
    'fingerprint': fingerprint.group(1) if fingerprint else none,
  }) }}
{%- endmacro -%}

{%- macro _external_property() -%}{{ return('deltawave.external') }}{%- endmacro -%}

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
tblproperties ({{ deltawave._literal(deltawave._external_property()) }} = {{ deltawave._literal(definition.fingerprint) }})
{%- endmacro -%}
