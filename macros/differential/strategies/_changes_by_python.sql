{#
  The select of a batch's changes if a Python library function compares: strategy.comparison is its dotted path. It
  receives both sides in the log's columns and types; docs/python_strategies.md describes its result. The result
  becomes a temporary view, which the adapter drops before the model's next comparison or when the node ends, however
  it ends.
#}
{%- macro _changes_by_python(job, batch) -%}
  {%- set columns = deltawave._columns_for_python(batch) -%}
  {%- set options = {
    'unique_key': deltawave._key_as_spelt(job.settings.unique_key, columns),
    'columns': columns,
    'before_image': job.settings.before_image != 'none',
  } -%}
  {%- for option in job.strategy.options -%}{%- do options.update({option: job.settings[option]}) -%}{%- endfor -%}
  {%- set sides = {'old': deltawave._side_for_python(batch, 'old'), 'new': deltawave._side_for_python(batch, 'new')} -%}
  {%- set changes = deltawave._view_by_python(job, batch, job.strategy.comparison, sides, options, 'changes') -%}
  {%- set names = deltawave._require_changes(job, batch, changes) -%}
  {%- if batch.result.measured -%}
    {%- do deltawave._refuse(job, batch, 'python_measures', {
      'function': job.strategy.comparison, 'names': batch.result.measured.keys() | join(', '),
    }) -%}
  {%- endif -%}
  {%- set marker = deltawave._literal(deltawave._backfill_marker()) -%}
select
    {{ deltawave._quoted_list(names) | join(',\n    ') }},
    change_type,
    {{ 'array_remove(changed_columns, ' ~ marker ~ ') as changed_columns' if deltawave._has_backfill(batch)
        else 'changed_columns' }}
from {{ changes }}
{%- endmacro -%}

{#
  The description of the columns for the function: [{name, data_type, is_key, in_old, in_new, is_compared, tolerance,
  comparable}]. comparable:
  for a compared column, an expression over its name whose values are null-safely equal exactly where the contents are
  (see _comparable).
#}
{%- macro _columns_for_python(batch) -%}
  {%- set marker = {
    'name': deltawave._backfill_marker(), 'data_type': 'boolean', 'is_key': false, 'in_old': true, 'in_new': true,
    'is_compared': true,
    'tolerance': none,
  } -%}
  {%- set described = [] -%}
  {%- for column in batch.columns + ([marker] if deltawave._has_backfill(batch) else []) -%}
    {%- do described.append({
      'name': column.name,
      'data_type': column.data_type,
      'is_key': column.is_key,
      'in_old': column.in_old,
      'in_new': column.in_new,
      'is_compared': column.is_compared,
      'tolerance': column.tolerance or none,
      'comparable': deltawave._comparable(deltawave._quoted(column.name), column.data_type) if column.is_compared
        else none,
    }) -%}
  {%- endfor -%}
  {{ return(described) }}
{%- endmacro -%}

{#
  A column that joins the log is backfilled (see _is_backfilled). The function need not know that: it compares one more
  column, false in all old rows and true in the new rows whose value has to be logged, so that these become updates.
  The engine then removes its name from changed_columns; an update whose list is empty afterwards is a backfill.
#}
{%- macro _backfill_marker() -%}
  {#- Reserved: no column of a dump has this name. -#}
  {{ return('is_there') }}
{%- endmacro -%}

{%- macro _has_backfill(batch) -%}
  {{ return(batch.columns | selectattr('is_added') | list | length > 0) }}
{%- endmacro -%}

{#
  One side as a select in parentheses: the log's columns that the side has, in the log's types, without columns that
  only place rows.
#}
{%- macro _side_for_python(batch, side) -%}
  {%- set cells = [] -%}
  {%- for column in batch.columns if column['in_' ~ side] -%}
    {%- set name = deltawave._quoted(column.name) -%}
    {%- do cells.append('cast(' ~ side ~ '_side.' ~ name ~ ' as ' ~ column.data_type ~ ') as ' ~ name) -%}
  {%- endfor -%}
  {%- if deltawave._has_backfill(batch) -%}
    {%- set is_backfilled = deltawave._is_backfilled({'columns': batch.columns}) | join(' or ') if side == 'new'
        else 'false' -%}
    {%- do cells.append('(' ~ is_backfilled ~ ') as ' ~ deltawave._quoted(deltawave._backfill_marker())) -%}
  {%- endif -%}
  {%- set sql -%}
(
    select
        {{ cells | join(',\n        ') }}
    from {{ batch.reading.old if side == 'old' else batch.result.new }} as {{ side }}_side
)
  {%- endset -%}
  {{ return(sql) }}
{%- endmacro -%}

{#
  The names of the log's columns in the changes; stops if one of the contract's columns is missing or has another type.
#}
{%- macro _require_changes(job, batch, changes) -%}
  {%- set returned = deltawave._types_of(deltawave._columns_of(changes)) -%}
  {%- set needed = deltawave._log_columns(job, batch.columns) -%}
  {%- set missing = [] -%}
  {%- set other_type = [] -%}
  {%- for column in needed + deltawave._control_columns()
      if column.name not in ['batch_at', 'of_batch', 'batch_id', 'attempt'] -%}
    {%- set data_type = returned.get(column.name | lower) -%}
    {%- if data_type is none -%}
      {%- do missing.append(column.name) -%}
    {%- elif data_type != column.data_type -%}
      {%- do other_type.append(column.name ~ ' (' ~ data_type ~ ', not ' ~ column.data_type ~ ')') -%}
    {%- endif -%}
  {%- endfor -%}
  {%- if missing -%}
    {%- do deltawave._refuse(job, batch, 'python_columns', {
      'function': job.strategy.comparison, 'columns': missing | join(', '),
    }) -%}
  {%- elif other_type -%}
    {%- do deltawave._refuse(job, batch, 'python_types', {
      'function': job.strategy.comparison, 'columns': other_type | join(', '),
    }) -%}
  {%- endif -%}
  {{ return(needed | map(attribute='name') | list) }}
{%- endmacro -%}
