{# Brings one table up to its definition and to the files that are there now. #}
{%- macro _create_external_table(definition) -%}
  {%- set relation = definition.relation -%}
  {%- do log('deltawave: ' ~ definition.name ~ ': ' ~ definition.file_format ~ ' in ' ~ definition.location, info=true) -%}
  {%- do deltawave._require_location(definition.location) -%}
  {%- do run_query('create schema if not exists ' ~ deltawave._quoted(relation.schema)) -%}

  {%- set fingerprint = deltawave._external_fingerprint(definition) -%}
  {%- if fingerprint is not none and fingerprint != definition.fingerprint -%}
    {%- do log('deltawave: ' ~ definition.name ~ ': the definition has changed, the table is made anew', info=true) -%}
    {%- do run_query('drop table ' ~ relation) -%}
  {%- endif -%}
  {%- do run_query(deltawave._external_table_sql(definition)) -%}

  {%- if definition.partitions -%}
    {%- do run_query('msck repair table ' ~ relation ~ ' sync partitions') -%}
    {%- set found = run_query('show partitions ' ~ relation).rows | length -%}
    {%- if not found -%}
      {%- do deltawave._fail('external_without_partitions', {
        'source': definition.name,
        'location': definition.location,
        'folder': definition.partitions[0].name ~ '=<' ~ definition.partitions[0].data_type ~ '>',
      }) -%}
    {%- endif -%}
    {%- do log('deltawave: ' ~ definition.name ~ ': ' ~ deltawave._count(found, 'partition', 'partitions'), info=true) -%}
  {%- endif -%}
  {# A session that has read the table before keeps its list of files. #}
  {%- do run_query('refresh table ' ~ relation) -%}
{%- endmacro -%}

{#
  A missing folder is an error of Spark here, which names the path. Without this, creating the table makes the folder, and a
  mistyped location is an empty table.
#}
{%- macro _require_location(location) -%}
  {%- do run_query('describe query select path from binaryFile.' ~ deltawave._quoted(location)) -%}
{%- endmacro -%}

{# The fingerprint of the table that stands there, none where there is none. Anything but a table of ours is refused. #}
{%- macro _external_fingerprint(definition) -%}
  {%- set relation = definition.relation -%}
  {%- set present = run_query('show tables in ' ~ deltawave._quoted(relation.schema) ~ ' like ' ~ deltawave._literal(relation.identifier)).rows -%}
  {%- if not present -%}{{ return(none) }}{%- endif -%}
  {%- for property in run_query('show tblproperties ' ~ relation).rows if property[0] == deltawave._external_property() -%}
    {{ return(property[1]) }}
  {%- endfor -%}
  {%- do deltawave._fail('external_foreign_relation', {'source': definition.name, 'relation': relation | string}) -%}
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
