{#
  Brings a dated CSV source up to its folders: one table for each distinct header, with the folders whose files have
  it, and over these tables the view that bears the source's name. So each folder is read by its own header: columns by
  name, null where a header lacks one. Spark itself takes the columns of all files of a table by position; it still
  checks each file against its table's header.

  Returns {tables: [{relation, names, missing, folders}], listed}, where `missing` are the declared columns not in the
  header; listed: see _listed_folders.

  found: the folders, as `show partitions` lists them. known, view: what the catalog knows of the table of the folders
  and of the source's view (see _external_table); view may be none.
#}
{%- macro _sync_headers(definition, found, known, view) -%}
  {%- set values = deltawave._folder_values(definition.name, found, definition.partitions) -%}
  {%- set places = {} -%}
  {%- for folder, value in values.items() -%}
    {%- if places.setdefault(tojson(value), folder) != folder -%}
      {%- do deltawave._fail('folders_alike', {
        'source': definition.name, 'one': places[tojson(value)], 'other': folder,
      }) -%}
    {%- endif -%}
  {%- endfor -%}
  {%- set listed = deltawave._listed_folders(
    definition.location, definition.partitions, definition.options, definition.checksums
  ) -%}
  {%- set tables = deltawave._header_tables(definition) -%}
  {%- set until = known.headers_until -%}
  {%- set all_names = definition.columns | map(attribute='name') | list -%}

  {#- What each table has to gain. A header that was read is read again only if a file has changed since. -#}
  {%- set gained = {} -%}
  {%- for folder in found -%}
    {%- set current = namespace(id=none) -%}
    {%- for id, table in tables.items() if values[folder] in table.folders -%}{%- set current.id = id -%}{%- endfor -%}
    {%- set files = listed.get(folder, {'first': none, 'modified': -1}) -%}
    {%- if current.id is none or files.modified > until -%}
      {%- set names = (deltawave._header_of(definition, folder, files.first) if files.first else none) or all_names -%}
      {%- set id = deltawave._header_id(names) -%}
      {%- if id != current.id -%}
        {%- if current.id -%}
          {%- do run_query(deltawave._header_folders_sql(
            definition, tables[current.id], 'drop if exists', [values[folder]]
          )) -%}
          {%- do tables[current.id].folders.remove(values[folder]) -%}
        {%- endif -%}
        {%- if id not in tables -%}
          {%- do tables.update({id: deltawave._create_header_table(definition, names)}) -%}
        {%- endif -%}
        {%- do gained.setdefault(id, {}).update({folder: values[folder]}) -%}
      {%- endif -%}
    {%- endif -%}
  {%- endfor -%}

  {%- for id, table in tables.items() -%}
    {%- set deleted = table.folders | reject('in', values.values()) | list -%}
    {%- if deleted -%}
      {%- do run_query(deltawave._header_folders_sql(definition, table, 'drop if exists', deleted)) -%}
    {%- endif -%}
    {%- if id in gained -%}
      {%- do run_query(deltawave._header_folders_sql(definition, table, 'add if not exists', gained[id])) -%}
    {%- endif -%}
    {%- do table.update(folders=table.folders | reject('in', deleted) | list + gained.get(id, {}).values() | list) -%}
    {%- do run_query('refresh table ' ~ table.relation) -%}
  {%- endfor -%}
  {#- Runs at the same time may each have added a table to the view that they saw. -#}
  {%- set shown = (view.text if view else '') | lower -%}
  {%- if tables.values() | map(attribute='relation') | map(attribute='identifier') | reject('in', shown) | list -%}
    {%- set head = 'alter view ' ~ definition.relation if view
        else 'create view ' ~ definition.relation ~ deltawave._made_from(definition) -%}
    {%- do run_query(head ~ ' as\n' ~ deltawave._headers_select(definition, tables)) -%}
  {%- endif -%}
  {#- Headers were read of files that were modified until then, in milliseconds. -#}
  {%- set newest = ([until] + listed.values() | map(attribute='modified') | list) | max -%}
  {%- if newest > until -%}
    {%- do run_query(
      'alter table ' ~ definition.folders ~ " set tblproperties ('deltawave.headers_until' = '" ~ newest ~ "')"
    ) -%}
  {%- endif -%}
  {#- The tables as readers see them. -#}
  {%- set described = [] -%}
  {%- for table in tables.values() -%}
    {%- set folders = [] -%}
    {%- for folder, value in values.items() if value in table.folders -%}{%- do folders.append(folder) -%}{%- endfor -%}
    {%- set missing = all_names | reject('in', table.names) | list -%}
    {%- do described.append({
      'relation': table.relation, 'names': table.names, 'missing': missing, 'folders': folders,
    }) -%}
  {%- endfor -%}
  {{ return({'tables': described, 'listed': listed}) }}
{%- endmacro -%}

{# The rows of all tables, with all declared columns. #}
{%- macro _headers_select(definition, tables) -%}
{%- for table in tables.values() -%}
select
    {%- for column in definition.columns %}
    {{ deltawave._quoted(column.name) if column.name in table.names else 'cast(null as ' ~ column.data_type ~ ') as ' ~ deltawave._quoted(column.name) }},
    {%- endfor %}
    {{ deltawave._quoted_list(definition.partitions | map(attribute='name')) | join(',\n    ') }}
from {{ table.relation }}
{%- if definition.checksums %}
where {{ deltawave._is_no_checksum_file('_metadata.file_name', definition.checksums) }}
{%- endif %}
{{- '\nunion all\n' if not loop.last }}
{%- endfor -%}
{%- endmacro -%}

{#
  The declared columns that a file's header names, in its order, as Spark's own reader finds them; none if the file is
  empty. A header with any other name is refused: a column that is not declared, a file without a header, a header that
  was cut.
#}
{%- macro _header_of(definition, folder, path) -%}
  {%- set options = dict(definition.options) -%}
  {%- for option in definition.options if option | lower in ['inferschema', 'pathglobfilter'] -%}
    {%- do options.pop(option) -%}
  {%- endfor -%}
  {%- set header = run_query(
    'describe query select * from ' ~ deltawave._read_with('csv', path, options)
  ).rows | map(attribute=0) | list -%}
  {%- set declared = {} -%}
  {%- for column in definition.columns -%}{%- do declared.update({column.name | lower: column.name}) -%}{%- endfor -%}
  {%- set names, unknown = [], [] -%}
  {%- for name in header -%}
    {%- do (names if name | lower in declared else unknown).append(declared.get(name | lower, name)) -%}
  {%- endfor -%}
  {%- if unknown -%}
    {%- do deltawave._fail('undeclared_header', {
      'source': definition.name, 'folder': folder, 'unknown': unknown | join(', '), 'example': tojson(unknown[0]),
      'file': path, 'columns': definition.columns | map(attribute='name') | join(', '),
    }) -%}
  {%- endif -%}
  {{ return(names or none) }}
{%- endmacro -%}
