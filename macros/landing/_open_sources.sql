{#
  Brings the external sources that a model reads (see _sources_behind) up to their files before anything reads them: a
  new folder becomes a partition, and the session drops its cached list of files. A table that was never made, or was
  made from another declaration, is refused. Returns the partitioned ones, including those behind tables of other
  models, and those with a format definition:
    [{name, relation, files, tables, location, options, partitions, records, headers, listed, is_read, announced}]
  files: the table that knows the folders, which is the relation itself unless there is a format definition, or the
  folders are read by their headers;
  tables: those that Spark scans; records: the format definition, if the node reads it; headers, listed: see
  _sync_headers; announced: see _announced_dumps.
#}
{%- macro _open_sources(model_name, sources) -%}
  {%- set dated = [] -%}
  {%- for source in sources -%}
    {%- set name = deltawave._external_name(source.node) -%}
    {%- set relation = deltawave._external_relation(source.node) -%}
    {%- set table = deltawave._external_table(relation) -%}
    {%- set is_ours = table is not none and table.is_view and table.fingerprint is not none -%}
    {%- set has_records = is_ours and deltawave._has_records(source.node.external) -%}
    {%- set has_headers = is_ours and not has_records -%}
    {%- set suffix = '__lines' if has_records else ('__folders' if has_headers else '') -%}
    {%- set files = deltawave._external_relation(source.node, suffix) if suffix else relation -%}
    {%- set view = table -%}
    {%- if source.is_read -%}
      {%- do deltawave._check_source(model_name, source.node, name, relation, table) -%}
    {%- endif -%}
    {%- if is_ours -%}
      {%- set table = deltawave._external_table(files) -%}
      {%- if not table -%}
        {%- do deltawave._fail('external_not_created', {
          'model': model_name, 'source': name, 'relation': files | string,
        }) -%}
      {%- endif -%}
    {%- endif -%}
    {%- set synced = {'tables': [], 'listed': none} -%}
    {%- if source.is_read -%}
      {#- Views, and tables that keep their own list of files, need no refresh. -#}
      {%- set lists_files = table.provider in deltawave._external_formats() -%}
      {%- set found = deltawave._find_partitions(name, files, table.location, table.partitions)
          if lists_files and table.partitions else [] -%}
      {%- if lists_files -%}{%- do run_query('refresh table ' ~ files) -%}{%- endif -%}
      {%- if has_records -%}
        {%- do deltawave._folder_values(name, found, table.partitions) -%}
      {%- elif has_headers -%}
        {%- do synced.update(deltawave._sync_headers(
          deltawave._external_definition(source.node), found, table, view
        )) -%}
      {%- endif -%}
    {%- endif -%}
    {#- Delta and Iceberg tables know their rows, and have no folders to announce dumps. -#}
    {%- if is_ours or (table and table.partitions and table.provider not in ['delta', 'iceberg']) -%}
      {%- do dated.append({
        'name': name,
        'relation': relation,
        'files': files,
        'tables': synced.tables | map(attribute='relation') | list or [files],
        'location': table.location,
        'options': source.node.external.options,
        'partitions': table.partitions,
        'records': deltawave._external_definition(source.node) if has_records and source.is_read else none,
        'headers': synced.tables, 'listed': synced.listed, 'is_read': source.is_read, 'announced': none,
      }) -%}
    {%- endif -%}
  {%- endfor -%}
  {{ return(dated) }}
{%- endmacro -%}

{#
  The external sources that a node depends on: [{node, is_read}]. is_read: only views lie between, so the node reads
  the files itself. A change log between has its own dates.
#}
{%- macro _sources_behind(node) -%}
  {%- set found = {} -%}
  {%- do deltawave._gather_parents(node, true, found) -%}
  {%- set sources = [] -%}
  {%- for id, is_read in found.items() if graph.sources.get(id, {}).external -%}
    {%- do sources.append({'node': graph.sources[id], 'is_read': is_read}) -%}
  {%- endfor -%}
  {{ return(sources) }}
{%- endmacro -%}

{# Adds {id: is_read} for all that a node depends on. What several paths lead to is read if one of them reads it. #}
{%- macro _gather_parents(node, is_read, found) -%}
  {%- for id in node.depends_on.nodes or [] -%}
    {%- if id not in found or (is_read and not found[id]) -%}
      {%- do found.update({id: is_read}) -%}
      {%- set parent = graph.nodes.get(id) -%}
      {%- if parent and parent.config.materialized != 'differential' -%}
        {%- do deltawave._gather_parents(
          parent, is_read and parent.config.materialized in ['view', 'ephemeral'], found
        ) -%}
      {%- endif -%}
    {%- endif -%}
  {%- endfor -%}
{%- endmacro -%}

{#
  Stops if the table does not match the source's declaration, and warns of options that let half a file pass. A table
  made by another program has only the options that are declared.
#}
{%- macro _check_source(model_name, node, name, relation, table) -%}
  {%- set facts = {'model': model_name, 'source': name, 'relation': relation | string} -%}
  {%- if not table -%}
    {%- do deltawave._fail('external_not_created', facts) -%}
  {%- elif table.fingerprint -%}
    {%- set definition = deltawave._external_definition(node) -%}
    {%- if table.fingerprint != definition.fingerprint -%}
      {%- do deltawave._fail('external_changed', facts) -%}
    {%- endif -%}
    {%- do deltawave._warn_of_unsafe_options(name, definition.file_format, definition.options) -%}
  {%- elif table.provider in deltawave._external_formats() -%}
    {%- set external = deltawave._external_fields(name, node.external) -%}
    {%- do deltawave._warn_of_unsafe_options(name, external.file_format, external.options) -%}
  {%- endif -%}
{%- endmacro -%}
