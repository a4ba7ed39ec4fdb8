{#
  Prints the yml of a contract of a change log, or of a table that follows one: the columns of its view, with their
  types, as they are checked where the contract is enforced.

    dbt run-operation deltawave.contract --args '{model: accounts_changes}'
#}
{%- macro contract(model) -%}
  {%- if not execute -%}{{ return(none) }}{%- endif -%}
  {%- set node = deltawave._model_node('contract', model) -%}
  {%- set materialized = node.config.materialized -%}
  {%- if materialized in ['current_state', 'scd2'] -%}
    {%- set settings = deltawave._follower_settings(node.name, node.config) -%}
  {%- else -%}
    {%- set node = deltawave._log_node('contract', model) -%}
    {%- set settings = deltawave._differential_settings(node.name, node.config) -%}
  {%- endif -%}
  {%- set job = deltawave._open_job(
    node.name, settings, ref(node.package_name, node.name, v=node.version), materialized
  ) -%}
  {%- if not deltawave._in_catalog(job.target) -%}
    {%- do deltawave._fail('no_view', {'macro': 'contract', 'model': node.name, 'relation': job.target | string}) -%}
  {%- endif -%}
  {#- A relation that is not ours is refused. -#}
  {%- do deltawave._read_view(job, [job.target.identifier]) -%}
  {%- do print(deltawave._contract_yml(node.name, deltawave._columns_of(job.target))) -%}
{%- endmacro -%}

{# The yml of a model with an enforced contract of these columns. #}
{%- macro _contract_yml(name, columns) -%}
  {%- set lines = [
    'models:', '  - ' ~ toyaml({'name': name}).strip(), '    config:', '      contract: {enforced: true}',
    '    columns:',
  ] -%}
  {%- for column in columns -%}
    {%- set described = {'name': column.name, 'data_type': column.data_type} -%}
    {#- dbt writes other names without quotes into its own statements, such as those of tests. -#}
    {%- if not deltawave._whole_match('[A-Za-z_][A-Za-z0-9_]*', column.name) -%}
      {%- do described.update(quote=true) -%}
    {%- endif -%}
    {%- do lines.append('      - ' ~ toyaml(described).strip() | indent(8)) -%}
  {%- endfor -%}
  {{ return(lines | join('\n')) }}
{%- endmacro -%}
