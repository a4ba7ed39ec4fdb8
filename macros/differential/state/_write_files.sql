{# A list of the files that hold the dump, instead of a copy: path, size, time of modification. #}
{%- macro default___write_files(job, batch, table, rows, columns) -%}
  {%- set names = deltawave._quoted_list(columns | map(attribute='name')) | join(', ') -%}
  {%- set snapshot = 'select ' ~ names ~ '\nfrom (\n' ~ deltawave._indented(rows) ~ '\n)' -%}
  {%- set relations = {'snapshot': deltawave._in_parentheses(snapshot)} -%}
  {%- set listed = deltawave._view_by_python(job, batch, 'deltawave.differencing.listed_files.listed', relations, {}, 'files') -%}
  {%- set sql -%}
select
    count(*) as files,
    md5(concat_ws('\n', sort_array(collect_list(concat_ws(' ', path, size, modified_ns))))) as digest,
    min(if(problem is null, null, concat_ws(' ', path, problem))) as problem
from {{ listed }}
  {%- endset -%}
  {%- set row = deltawave._run(job, sql).rows[0] -%}
  {%- if row[2] -%}
    {%- do deltawave._fail('in_place', {'model': job.name, 'problem': row[2]}) -%}
  {%- endif -%}
  {%- set sql -%}
create table {{ deltawave._attempt_relation(job, table) }}
using {{ job.settings.copy_format }}
as
select
    path,
    size,
    modified_ns
from {{ listed }}
  {%- endset -%}
  {%- do deltawave._run(job, sql) -%}
  {{ return({'rows': row[0] | int, 'digest': row[1], 'columns': columns}) }}
{%- endmacro -%}

{# The rows of listed files, with the key's hash, as a select in parentheses. The files have to stay as they are until the batch is counted. #}
{%- macro default___read_files(job, batch, state) -%}
  {%- set view = deltawave._temporary_name(job, batch, 'files_' ~ state.batch_id ~ '_' ~ state.attempt) -%}
  {%- set files = {'files': deltawave._attempt_relation(job, state) | string} -%}
  {%- do adapter.view_by_python('deltawave.differencing.listed_files.rows', files, {'columns': state.columns}, view, stays=true) -%}
  {%- set sql -%}
(
    select
        files.*,
        {{ deltawave._key_hash('files', job.settings.unique_key) }} as key_hash
    from {{ deltawave._quoted(view) }} as files
)
  {%- endset -%}
  {{ return(sql) }}
{%- endmacro -%}

{# Refuses files that are missing, or differ from the listed ones: the comparison would mix two dumps. #}
{%- macro _require_files(job, batch, states) -%}
  {%- for state in states -%}
    {%- set relations = {'files': deltawave._attempt_relation(job, state) | string} -%}
    {%- set moved = deltawave._view_by_python(job, batch, 'deltawave.differencing.listed_files.moved', relations, {}, 'moved') -%}
    {%- set rows = deltawave._run(job, 'select path, problem from ' ~ moved ~ ' order by path limit 1').rows -%}
    {%- if rows -%}
      {%- set of_previous = 'previous_file_of_baseline' if batch.is_baseline else 'previous_file' -%}
      {%- set code = 'moving_file' if state.batch_id == batch.batch_id else of_previous -%}
      {%- do deltawave._refuse(job, batch, code, {'path': rows[0][0], 'problem': rows[0][1], 'previous': state.batch_id}) -%}
    {%- endif -%}
  {%- endfor -%}
{%- endmacro -%}
