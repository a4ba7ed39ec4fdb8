{#
  Refuses relations that are no {change log: {its column: a column of the view}}, and a root that is none of them. The root's columns, the
  anchors, have to lie in the view's key: else a key could stand under two anchors, of which only one is looked at.
#}
{%- macro _check_relations(model_name, settings) -%}
  {%- set relations = settings.relations -%}
  {%- set allowed = 'a mapping of change logs to mappings of their columns to columns of the select, like {orders_changes: {order_id: order_id}}' -%}
  {%- set wrong = {'model': model_name, 'option': 'relations', 'value': relations, 'allowed': allowed} -%}
  {%- if relations is not mapping or not relations -%}
    {%- do deltawave._fail('option_value', wrong) -%}
  {%- endif -%}
  {%- for relation, columns in relations.items() -%}
    {%- if relation is not string or columns is not mapping or not columns -%}
      {%- do deltawave._fail('option_value', wrong) -%}
    {%- endif -%}
    {%- for column in columns.keys() | list + columns.values() | list if column is not string -%}
      {%- do deltawave._fail('option_value', wrong) -%}
    {%- endfor -%}
  {%- endfor -%}
  {%- if settings.root not in relations -%}
    {%- do deltawave._fail('option_value', {
      'model': model_name, 'option': 'root', 'value': settings.root, 'allowed': 'one of the relations: ' ~ relations.keys() | sort | join(', '),
    }) -%}
  {%- endif -%}
  {%- for column in relations[settings.root].values() if column | lower not in settings.unique_key | map('lower') -%}
    {%- do deltawave._fail('anchor_key', {'model': model_name, 'relation': settings.root, 'column': column}) -%}
  {%- endfor -%}
{%- endmacro -%}

{# The relations, the root first, in an order of their own: dbt's parser does not keep that of a mapping. #}
{%- macro _root_first(settings) -%}
  {%- set relations = {settings.root: dict(settings.relations[settings.root] | dictsort)} -%}
  {%- for relation, columns in settings.relations | dictsort if relation != settings.root -%}
    {%- do relations.update({relation: dict(columns | dictsort)}) -%}
  {%- endfor -%}
  {{ return(relations) }}
{%- endmacro -%}

{# Refuses mapped columns that the model's select does not have. #}
{%- macro _require_mapped_columns(job, names) -%}
  {%- for columns in (job.settings.relations or {}).values() -%}
    {%- for column in columns.values() if column | lower not in names | map('lower') -%}
      {%- do deltawave._fail('missing_option_column', {
        'model': job.name, 'option': 'relations', 'column': column, 'columns': names | join(', '),
      }) -%}
    {%- endfor -%}
  {%- endfor -%}
{%- endmacro -%}
