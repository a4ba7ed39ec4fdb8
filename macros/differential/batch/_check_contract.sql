{#
  An enforced contract describes the view's columns, which readers see. It is checked against a log of nulls, before
  anything is written. dbt's own check cuts long types off, and every view has one: _before has all columns.
#}
{%- macro _check_contract(job, batch) -%}
  {%- set nulls = [] -%}
  {%- for column in deltawave._log_columns(job, batch.columns) + deltawave._control_columns() -%}
    {%- do nulls.append('cast(null as ' ~ column.data_type ~ ') as ' ~ deltawave._quoted(column.name)) -%}
  {%- endfor -%}
  {%- set columns = deltawave._contract_columns(batch.columns, job.settings.before_image != 'none') -%}
  {%- set view = deltawave._columns_of_query(
    'select ' ~ columns ~ ' from (select ' ~ nulls | join(', ') ~ ') as log'
  ) -%}
  {%- do deltawave._require_contract(job, batch, view) -%}
{%- endmacro -%}

{# Refuses a batch after which a view of these columns would not fit the contract. #}
{%- macro _require_contract(job, batch, view) -%}
  {%- set differences = deltawave._contract_differences(
    view, deltawave._columns_of_contract(model.columns.values() | list)
  ) -%}
  {%- if differences -%}
    {%- do deltawave._refuse(job, batch, 'contract', {'differences': differences | join('\n')}) -%}
  {%- endif -%}
{%- endmacro -%}

{#
  The columns of the yml, with their types as Spark writes them: [{name, data_type, invalid}]; data_type is none where
  the yml has none, and invalid the yml's own where Spark can't read it.
#}
{%- macro _columns_of_contract(listed) -%}
  {%- set given = listed | map(attribute='data_type') | select | list -%}
  {#- On other adapters Spark's own error shows the type, but not the column. -#}
  {%- set invalid = adapter.invalid_types(given) if adapter.invalid_types is defined and deltawave._runs_python()
      else [] -%}
  {%- set nulls = [] -%}
  {%- for column in listed if column.data_type and column.data_type not in invalid -%}
    {%- do nulls.append('cast(null as ' ~ column.data_type ~ ') as ' ~ deltawave._quoted(column.name)) -%}
  {%- endfor -%}
  {%- set types = {} -%}
  {%- for column in (deltawave._columns_of_query('select ' ~ nulls | join(', ')) if nulls else []) -%}
    {%- do types.update({column.name: column.data_type}) -%}
  {%- endfor -%}
  {%- set columns = [] -%}
  {%- for column in listed -%}
    {%- do columns.append({
      'name': column.name,
      'data_type': types.get(column.name),
      'invalid': column.data_type if column.data_type in invalid else none,
    }) -%}
  {%- endfor -%}
  {{ return(columns) }}
{%- endmacro -%}

{#
  A line for each column in which a contract differs from the view. As in dbt, names have to be spelt alike, and the
  order does not matter.
#}
{%- macro _contract_differences(view, contract) -%}
  {%- set listed, lines = {}, [] -%}
  {%- for column in contract -%}
    {%- do listed.update({column.name: column}) -%}
    {%- if column.invalid -%}
      {%- do lines.append('  invalid type: ' ~ column.name ~ ', in the yml ' ~ column.invalid) -%}
    {%- endif -%}
  {%- endfor -%}
  {%- set shown = view | map(attribute='name') | list -%}
  {%- for column in view if column.name not in listed -%}
    {%- do lines.append('  missing: ' ~ column.name ~ ', in the view ' ~ column.data_type) -%}
  {%- endfor -%}
  {%- for column in contract if column.name not in shown -%}
    {%- do lines.append(
      '  unexpected: ' ~ column.name ~ (', in the yml ' ~ column.data_type if column.data_type else '')
    ) -%}
  {%- endfor -%}
  {%- for column in view if column.name in listed and not listed[column.name].invalid
      and listed[column.name].data_type != column.data_type -%}
    {%- set given = listed[column.name].data_type or 'none' -%}
    {%- do lines.append(
      '  other type: ' ~ column.name ~ ', in the view ' ~ column.data_type ~ ', in the yml ' ~ given
    ) -%}
  {%- endfor -%}
  {{ return(lines) }}
{%- endmacro -%}
