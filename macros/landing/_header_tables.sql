{#
  The tables of a source's headers that exist: {id: {relation, names, folders}}, where a folder is the list of the
  values that it names.
#}
{%- macro _header_tables(definition) -%}
  {%- set tables = {} -%}
  {%- for relation in deltawave._header_relations(definition) -%}
    {%- set dated = definition.partitions | map(attribute='name') | map('lower') | list -%}
    {%- set names = [] -%}
    {%- for column in deltawave._columns_of(relation) if column.name | lower not in dated -%}
      {%- do names.append(column.name) -%}
    {%- endfor -%}
    {%- set folders = [] -%}
    {%- for row in run_query('show partitions ' ~ relation).rows -%}
      {%- set value = [] -%}
      {%- for part in row[0].split('/') -%}
        {%- do value.append(deltawave._unescaped(part.split('=', 1)[1])) -%}
      {%- endfor -%}
      {%- do folders.append(value) -%}
    {%- endfor -%}
    {%- do tables.update({deltawave._header_id(names): {'relation': relation, 'names': names, 'folders': folders}}) -%}
  {%- endfor -%}
  {{ return(tables) }}
{%- endmacro -%}

{# Their relations, whatever definition they were made of. #}
{%- macro _header_relations(definition) -%}
  {%- set prefix = deltawave._header_name(definition, '') -%}
  {%- set relations = [] -%}
  {%- set schema = definition.relation.schema -%}
  {%- if run_query('show schemas like ' ~ deltawave._literal(schema)).rows -%}
    {%- for row in run_query(
      'show tables in ' ~ deltawave._quoted(schema) ~ ' like ' ~ deltawave._literal(prefix ~ '*')
    ).rows -%}
      {%- if deltawave._whole_match(modules.re.escape(prefix) ~ '[0-9a-f]{8}', row[1] | lower) -%}
        {%- do relations.append(deltawave._relation(schema, row[1])) -%}
      {%- endif -%}
    {%- endfor -%}
  {%- endif -%}
  {{ return(relations) }}
{%- endmacro -%}

{%- macro _create_header_table(definition, names) -%}
  {%- set types = {} -%}
  {%- for column in definition.columns -%}{%- do types.update({column.name: column.data_type}) -%}{%- endfor -%}
  {%- set columns = [] -%}
  {%- for name in names -%}{%- do columns.append({'name': name, 'data_type': types[name]}) -%}{%- endfor -%}
  {%- set relation = deltawave._relation(
    definition.relation.schema, deltawave._header_name(definition, deltawave._header_id(names))
  ) -%}
  {%- do run_query(deltawave._external_table_sql(dict(definition, relation=relation, columns=columns))) -%}
  {{ return({'relation': relation, 'names': names, 'folders': []}) }}
{%- endmacro -%}

{# Adds folders to a table, {folder: values}, or drops some, [values]. #}
{%- macro _header_folders_sql(definition, table, action, folders) -%}
alter table {{ table.relation }} {{ action }}
{%- for folder in folders %}
    {%- set pairs = [] -%}
    {%- for value in (folders[folder] if folders is mapping else folder) -%}
      {%- do pairs.append(
        deltawave._quoted(definition.partitions[loop.index0].name) ~ ' = ' ~ deltawave._literal(value)
      ) -%}
    {%- endfor %}
    partition ({{ pairs | join(', ') }})
    {%- if folders is mapping %}
    location {{ deltawave._literal(definition.location.rstrip('/') ~ '/' ~ folder) }}
    {%- else -%}
    {{ ',' if not loop.last }}
    {%- endif %}
{%- endfor -%}
{%- endmacro -%}

{%- macro _header_name(definition, id) -%}
  {{ return(definition.relation.identifier | lower ~ '__header_' ~ id) }}
{%- endmacro -%}

{%- macro _header_id(names) -%}{{ return(local_md5(tojson(names))[:8]) }}{%- endmacro -%}

{# The value in a folder's name, in which Spark escapes some characters. #}
{%- macro _unescaped(text) -%}
  {%- set decoded = namespace(text=text) -%}
  {%- for code in modules.re.findall('%([0-9A-Fa-f]{2})', text) | unique(case_sensitive=true) if code != '25' -%}
    {%- set decoded.text = decoded.text.replace('%' ~ code, fromjson('"\\u00' ~ code ~ '"')) -%}
  {%- endfor -%}
  {{ return(decoded.text.replace('%25', '%')) }}
{%- endmacro -%}
