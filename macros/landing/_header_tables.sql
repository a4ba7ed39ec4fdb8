{# The tables of a source's headers that exist: {id: {relation, names, folders}}; a folder is its list of values. #}
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
  {%- set schema = definition.relation.schema -%}
  {%- set relations = [] -%}
  {%- for name in deltawave._names_in(schema, prefix ~ '*')
      if deltawave._whole_match(modules.re.escape(prefix) ~ '[0-9a-f]{8}', name | lower) -%}
    {%- do relations.append(deltawave._relation(schema, name)) -%}
  {%- endfor -%}
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
{%- set names = deltawave._quoted_list(definition.partitions | map(attribute='name')) -%}
alter table {{ table.relation }} {{ action }}
{%- for folder in folders %}
    {%- set texts = folders[folder] if folders is mapping else folder %}
    partition (
        {%- for text in texts %}
        {{- ', ' if not loop.first }}{{ names[loop.index0] }} = {{ deltawave._literal(text) }}
        {%- endfor -%}
    )
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
