{#
  An enforced contract describes the view's columns, which readers see. It is checked against a log of nulls, before anything is written. dbt's own
  check cuts long types off, and every view has one: _before has all columns.
#}
{%- macro _check_contract(job, batch) -%}
  {%- if config.get('contract').enforced -%}
    {%- set nulls = [] -%}
    {%- for column in deltawave._log_columns(job, batch.columns) + deltawave._control_columns() -%}
      {%- do nulls.append('cast(null as ' ~ column.data_type ~ ') as ' ~ deltawave._quoted(column.name)) -%}
    {%- endfor -%}
    {%- set columns = deltawave._contract_columns(batch.columns, job.settings.before_image != 'none') -%}
    {%- set view = deltawave._columns_of_query('select ' ~ columns ~ ' from (select ' ~ nulls | join(', ') ~ ') as log') -%}
    {%- set differences = deltawave._contract_differences(view, deltawave._columns_of_contract(model.columns.values() | list)) -%}
    {%- if differences -%}
      {%- do deltawave._refuse(job, batch, 'contract', {'differences': differences | join('\n')}) -%}
    {%- endif -%}
  {%- endif -%}
{%- endmacro -%}

{# The columns of the yml, with their types as Spark writes them: [{name, data_type}]; data_type is none where the yml has none. #}
{%- macro _columns_of_contract(listed) -%}
  {%- set nulls = [] -%}
  {%- for column in listed if column.data_type -%}
    {%- do nulls.append('cast(null as ' ~ column.data_type ~ ') as ' ~ deltawave._quoted(column.name)) -%}
  {%- endfor -%}
  {%- set types = {} -%}
  {%- for column in (deltawave._columns_of_query('select ' ~ nulls | join(', ')) if nulls else []) -%}
    {%- do types.update({column.name: column.data_type}) -%}
  {%- endfor -%}
  {%- set columns = [] -%}
  {%- for column in listed -%}{%- do columns.append({'name': column.name, 'data_type': types.get(column.name)}) -%}{%- endfor -%}
  {{ return(columns) }}
{%- endmacro -%}

{# A line for each column in which a contract differs from the view. As in dbt, names have to be spelt alike, and the order does not matter. #}
{%- macro _contract_differences(view, contract) -%}
  {%- set listed = {} -%}
  {%- for column in contract -%}{%- do listed.update({column.name: column.data_type}) -%}{%- endfor -%}
  {%- set shown = view | map(attribute='name') | list -%}
  {%- set lines = [] -%}
  {%- for column in view if column.name not in listed -%}
    {%- do lines.append('  missing: ' ~ column.name ~ ', in the view ' ~ column.data_type) -%}
  {%- endfor -%}
  {%- for name, data_type in listed.items() if name not in shown -%}
    {%- do lines.append('  unexpected: ' ~ name ~ (', in the yml ' ~ data_type if data_type else '')) -%}
  {%- endfor -%}
  {%- for column in view if column.name in listed and listed[column.name] != column.data_type -%}
    {%- do lines.append('  other type: ' ~ column.name ~ ', in the view ' ~ column.data_type ~ ', in the yml ' ~ (listed[column.name] or 'none')) -%}
  {%- endfor -%}
  {{ return(lines) }}
{%- endmacro -%}
