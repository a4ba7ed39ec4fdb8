{#
  Keys and hashes of rows (LG96 3.1: the compressed file f1), which a Python library computes and compares. It has three functions:

    differing_rows  the rows of the dump that differ from the kept hashes
    kept_hashes     the hashes of rows, to be kept
    patched_hashes  the kept hashes, after later changes

  They are kept in one row per segment, which only the library reads.
#}
{%- macro _hashes_of(job, batch, select) -%}
  {%- set relations = {'rows': deltawave._in_parentheses(select)} -%}
  {%- set view = deltawave._view_by_python(
    job, batch, job.strategy.library ~ '.kept_hashes', relations, deltawave._hash_options(job, batch, 'count'), 'hashes'
  ) -%}
  {{ return('select * from ' ~ view) }}
{%- endmacro -%}

{%- macro _patched_hashes(job, batch, last) -%}
  {%- set relations = deltawave._known_hashes(job, batch, last) -%}
  {%- set view = deltawave._view_by_python(
    job, batch, job.strategy.library ~ '.patched_hashes', relations, deltawave._hash_options(job, batch, 'count'), 'hashes'
  ) -%}
  {{ return('select * from ' ~ view) }}
{%- endmacro -%}

{# The relations of the kept hashes: the last written ones, and the log's changes since, if there are any. #}
{%- macro _known_hashes(job, batch, last) -%}
  {%- set relations = {'kept': deltawave._attempt_relation(job, batch.kept) | string} -%}
  {%- if batch.kept_as_of < last.batch_id -%}
    {%- set names = batch.columns | map(attribute='name') | list -%}
    {%- set patches = deltawave._last_changes(job.target, job.settings.unique_key, names, from_batch=batch.kept_as_of + 1) -%}
    {%- do relations.update(patches=deltawave._in_parentheses(patches)) -%}
  {%- endif -%}
  {{ return(relations) }}
{%- endmacro -%}

{# size: the name under which a function takes the number of rows. #}
{%- macro _hash_options(job, batch, size) -%}
  {%- set columns = deltawave._hashed_columns(batch) -%}
  {{ return({
    'unique_key': deltawave._key_as_spelt(job.settings.unique_key, columns),
    'columns': columns,
    size: [batch.rows_old or 0, batch.rows_new or 0] | max,
  }) }}
{%- endmacro -%}

{# The description of the columns for the library: [{name, data_type, is_key, is_compared, comparable}], see _columns_for_python. #}
{%- macro _hashed_columns(batch) -%}
  {%- set columns = [] -%}
  {%- for column in batch.columns -%}
    {%- set is_compared = column.is_chosen and not column.is_key -%}
    {%- do columns.append({
      'name': column.name,
      'data_type': column.data_type,
      'is_key': column.is_key,
      'is_compared': is_compared,
      'comparable': deltawave._comparable(deltawave._quoted(column.name), column.data_type) if is_compared else none,
    }) -%}
  {%- endfor -%}
  {{ return(columns) }}
{%- endmacro -%}

{# Writes the hashes that the library returned. #}
{%- macro _create_hashes(job, table, select) -%}
  {%- do deltawave._run(job, 'create table ' ~ table ~ '\nusing ' ~ job.settings.copy_format ~ '\nas\n' ~ select) -%}
{%- endmacro -%}

{# The version of the library's hash function: hashes of different versions cannot be compared. #}
{%- macro _hash_version() -%}{{ return(2) }}{%- endmacro -%}

{%- macro _in_parentheses(select) -%}{{ return('(\n' ~ deltawave._indented(select) ~ '\n)') }}{%- endmacro -%}
