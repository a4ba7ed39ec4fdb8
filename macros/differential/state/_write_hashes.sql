{#
  Keys and hashes of rows (LG96 3.1: the compressed file f1), which a Python library computes and compares. It has these
  functions:

    hash_version     what computes the hashes of such rows
    differing_pairs  the rows of the dump that differ from the hashes of the previous state, with the previous rows if
                     it can read the log
    kept_hashes      the hashes of rows
    patched_hashes   the hashes of the previous state, after later changes: _renew_state writes these, once the changes
                     are many

  Only the library reads the state.
#}
{%- macro default___write_hashes(job, batch, table, rows, columns) -%}
  {%- do deltawave._run(
    job,
    'create table ' ~ deltawave._attempt_relation(job, table) ~ '\nusing ' ~ deltawave._state_format() ~ '\nas\n' ~ rows
  ) -%}
  {{ return({}) }}
{%- endmacro -%}

{%- macro default___hashes_of(job, batch, rows) -%}
  {%- set relations = {'rows': deltawave._in_parentheses(deltawave._typed_rows(batch, rows))} -%}
  {{ return(deltawave._hashes_by_library(job, batch, 'kept_hashes', {'relations': relations, 'options': {}})) }}
{%- endmacro -%}

{#
  A select's rows in the log's types: a copy has those of its own dump, in which a number may be narrower, and have
  another hash.
#}
{%- macro _typed_rows(batch, rows) -%}
  {%- set cells = [] -%}
  {%- for column in batch.columns if column.in_new -%}
    {%- do cells.append(deltawave._typed_cell(column)) -%}
  {%- endfor -%}
  {{ return('select ' ~ cells | join(', ') ~ ' from ' ~ deltawave._in_parentheses(rows)) }}
{%- endmacro -%}

{# A column in the log's type. #}
{%- macro _typed_cell(column) -%}
  {%- set name = deltawave._quoted(column.name) -%}
  {{ return('cast(' ~ name ~ ' as ' ~ column.data_type ~ ') as ' ~ name) }}
{%- endmacro -%}

{%- macro default___patched_hashes(job, batch, last) -%}
  {{ return(deltawave._hashes_by_library(job, batch, 'patched_hashes', deltawave._known_hashes(job, batch, last))) }}
{%- endmacro -%}

{%- macro _hashes_by_library(job, batch, function, given) -%}
  {%- set options = dict(deltawave._hash_options(job, batch, 'count'), **given.options) -%}
  {{ return(
    'select * from '
    ~ deltawave._view_by_python(job, batch, job.strategy.library ~ '.' ~ function, given.relations, options, 'hashes')
  ) }}
{%- endmacro -%}

{#
  The hashes of the previous state, as a library takes them {relations, options}: the written ones, and the log's
  changes since, if there are any.
#}
{%- macro _known_hashes(job, batch, last) -%}
  {%- set relations, options = {'kept': deltawave._attempt_relation(job, last.state) | string}, {} -%}
  {%- if last.state.as_of < last.batch_id -%}
    {%- set names = batch.columns | selectattr('in_new') | map(attribute='name') | list -%}
    {%- set patches = deltawave._last_changes(
      job.target, job.settings.unique_key, names, from_batch=last.state.as_of + 1
    ) -%}
    {%- do relations.update(patches=deltawave._in_parentheses(patches)) -%}
    {%- set log = deltawave._files_of_log(job, batch, names, last.state.as_of + 1) -%}
    {%- if log -%}
      {%- do relations.update(stored=log.stored) -%}
      {%- do options.update(partitions=log.partitions, from_batch=log.from_batch) -%}
    {%- endif -%}
  {%- endif -%}
  {{ return({'relations': relations, 'options': options}) }}
{%- endmacro -%}

{# size: the name under which a function takes the number of rows. #}
{%- macro _hash_options(job, batch, size) -%}
  {%- set columns = deltawave._hashed_columns(batch) -%}
  {%- set options = {
    'unique_key': deltawave._key_as_spelt(job.settings.unique_key, columns),
    'columns': columns,
    size: [batch.rows_old or 0, batch.result.rows_new or 0] | max,
  } -%}
  {%- for option in job.strategy.options -%}{%- do options.update({option: job.settings[option]}) -%}{%- endfor -%}
  {{ return(options) }}
{%- endmacro -%}

{#
  The description of the dump's columns for the library: [{name, data_type, is_key, is_compared, comparable}], see
  _columns_for_python.
#}
{%- macro _hashed_columns(batch) -%}
  {%- set columns = [] -%}
  {%- for column in batch.columns if column.in_new -%}
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

{#- Hashes that are computed in another way cannot be compared. -#}
{%- macro default___fingerprint_of_hashes(job, batch) -%}
  {%- set version = adapter.call_library(job.strategy.library ~ '.hash_version', {}, {}) -%}
  {{ return(local_md5(tojson([version, job.settings.unique_key, deltawave._hashed_columns(batch)]))) }}
{%- endmacro -%}
