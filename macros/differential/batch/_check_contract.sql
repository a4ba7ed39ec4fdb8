{# An enforced contract describes the view's columns, which readers see. It is checked against a log of nulls, before anything is written. #}
{%- macro _check_contract(job, batch) -%}
  {%- if config.get('contract').enforced -%}
    {%- set nulls = [] -%}
    {%- for column in deltawave._log_columns(job, batch.columns) + deltawave._control_columns() -%}
      {%- do nulls.append('cast(null as ' ~ column.data_type ~ ') as ' ~ deltawave._quoted(column.name)) -%}
    {%- endfor -%}
    {%- set columns = deltawave._contract_columns(batch.columns, job.settings.before_image != 'none') -%}
    {%- do get_assert_columns_equivalent(
      'select ' ~ columns ~ ' from (select ' ~ nulls | join(', ') ~ ') as log'
    ) -%}
  {%- endif -%}
{%- endmacro -%}
