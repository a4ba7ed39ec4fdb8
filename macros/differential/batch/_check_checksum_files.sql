{#
  Refuses a dump whose files are not those that checksum files (`checksums` of an external source) name, before it is
  compared. Only the files are checked that the select reads for this dump; a source that is only behind a table, or
  that -- depends_on names, is not.
#}
{%- macro _check_checksum_files(job, state, dump) -%}
  {%- for source in ([] if job.remote or deltawave._is_accepted(job) else job.sources) -%}
    {%- if source.is_read and source.node.external.checksums -%}
      {%- set name = deltawave._external_name(source.node) -%}
      {%- set wrong = deltawave._checksum_problems(job, dump, source.node, name) if deltawave._runs_python()
          else none -%}
      {%- if wrong is none -%}
        {%- do deltawave._fail('checksums_adapter', {
          'model': job.name, 'source': name, 'checksums': source.node.external.checksums,
        }) -%}
      {%- elif wrong -%}
        {%- set attempt = deltawave._attempt(job, state.record, dump.snapshot_date) -%}
        {%- do deltawave._refuse(job, attempt, 'wrong_checksums', {'source': name, 'problems': wrong | join('; ')}) -%}
      {%- endif -%}
    {%- endif -%}
  {%- endfor -%}
{%- endmacro -%}

{# How the source's files of this dump differ from their checksums, in words; none if the session cannot tell. #}
{%- macro _checksum_problems(job, dump, node, name) -%}
  {%- set opened = job.dated_sources | selectattr('name', 'eq', name) | list -%}
  {%- set tables = [] -%}
  {%- for table in (opened[0].tables if opened else [deltawave._external_relation(node)]) -%}
    {%- do tables.append((table.schema ~ '.' ~ table.identifier) | lower) -%}
  {%- endfor -%}
  {{ return(adapter.call_library(
    'deltawave.checksum_files.problems',
    {'dump': '(\n' ~ deltawave._rows_of_dump(job, dump) ~ '\n)'},
    {'tables': tables, 'checksums': node.external.checksums, 'are_left_out': (opened and opened[0].headers) | length > 0}
  )) }}
{%- endmacro -%}
