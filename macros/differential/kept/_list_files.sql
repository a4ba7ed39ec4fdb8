{#
  Keeps a list of the files that hold the dump, instead of a copy: path, size, time of modification. condition: on the column that dates dumps, a
  partition column.
#}
{%- macro _list_files(job, batch, condition) -%}
  {%- set names = deltawave._quoted_list(job.columns | map(attribute='name')) | join(', ') -%}
  {%- set snapshot = 'select ' ~ names ~ '\nfrom (\n' ~ deltawave._indented(job.sql) ~ '\n)' ~ ('\nwhere ' ~ condition if condition else '') -%}
  {%- set relations = {'snapshot': deltawave._in_parentheses(snapshot)} -%}
  {%- set listed = deltawave._view_by_python(job, batch, deltawave._files_library() ~ '.listed', relations, {}, 'files') -%}
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
create table {{ batch.landed }}
using {{ job.settings.copy_format }}
as
select
    path,
    size,
    modified_ns
from {{ listed }}
  {%- endset -%}
  {%- do deltawave._run(job, sql) -%}
  {%- do deltawave._update(batch, kept=dict(
    deltawave._own_table(batch, 'files'), rows=row[0] | int, digest=row[1], columns=job.columns
  )) -%}
{%- endmacro -%}

{# The rows of listed files, with the key's hash, as a select in parentheses. The files have to stay as they are until the batch is counted. #}
{%- macro _rows_of_files(job, batch, kept) -%}
  {%- set view = deltawave._temporary_name(job, batch, 'files_' ~ kept.batch_id ~ '_' ~ kept.attempt) -%}
  {%- do adapter.view_of_files(deltawave._attempt_relation(job, kept) | string, kept.columns, view) -%}
  {%- do deltawave._update(batch, files=batch.files + [kept]) -%}
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

{# Refuses files that are gone, or differ from the listed ones: the comparison would mix two dumps. #}
{%- macro _require_files(job, batch, sides) -%}
  {%- for kept in sides -%}
    {%- set relations = {'files': deltawave._attempt_relation(job, kept) | string} -%}
    {%- set moved = deltawave._view_by_python(job, batch, deltawave._files_library() ~ '.moved', relations, {}, 'moved') -%}
    {%- set rows = deltawave._run(job, 'select path, problem from ' ~ moved ~ ' order by path limit 1').rows -%}
    {%- if rows -%}
      {%- set former = 'former_file_of_baseline' if batch.is_baseline else 'former_file' -%}
      {%- set code = 'moving_file' if kept.batch_id == batch.batch_id else former -%}
      {%- do deltawave._refuse(job, batch, code, {'path': rows[0][0], 'problem': rows[0][1], 'former': kept.batch_id}) -%}
    {%- endif -%}
  {%- endfor -%}
{%- endmacro -%}

{%- macro _files_library() -%}{{ return('deltawave.differencing.listed_files') }}{%- endmacro -%}
