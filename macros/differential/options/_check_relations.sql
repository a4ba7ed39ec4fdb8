{#
  Refuses relations that are no {change log: {its column: a column of the view}}, or a list of such mappings for a log that is joined more
  than once, and a root that is none of them. The root's columns, the anchors, have to lie in the view's key: else a key could stand
  under two anchors, of which only one is looked at.
#}
{%- macro _check_relations(model_name, settings) -%}
  {%- set relations = settings.relations -%}
  {%- set allowed = [
    'a mapping of change logs to mappings of their columns to columns of the select, like {orders_changes: {order_id: order_id}}',
    'of a log that is joined more than once, a list of such mappings',
  ] | join('; ') -%}
  {%- set wrong = {'model': model_name, 'option': 'relations', 'value': relations, 'allowed': allowed} -%}
  {%- if relations is not mapping or not relations -%}
    {%- do deltawave._fail('option_value', wrong) -%}
  {%- endif -%}
  {%- for relation, mappings in relations.items() -%}
    {%- if relation is not string or not mappings or mappings is string or mappings is not iterable -%}
      {%- do deltawave._fail('option_value', wrong) -%}
    {%- endif -%}
    {%- for columns in deltawave._mappings(mappings) -%}
      {%- if columns is not mapping or not columns or (columns.keys() | list + columns.values() | list) | reject('string') | list -%}
        {%- do deltawave._fail('option_value', wrong) -%}
      {%- endif -%}
      {%- for column in columns.values() -%}
        {%- do deltawave._require_compared(model_name, settings, relation, column) -%}
      {%- endfor -%}
    {%- endfor -%}
  {%- endfor -%}
  {%- if settings.root not in relations -%}
    {%- do deltawave._fail('option_value', {
      'model': model_name, 'option': 'root', 'value': settings.root, 'allowed': 'one of the relations: ' ~ relations.keys() | sort | join(', '),
    }) -%}
  {%- endif -%}
  {%- for column in deltawave._mappings(relations[settings.root])[0].values() if column | lower not in settings.unique_key | map('lower') -%}
    {%- do deltawave._fail('anchor_key', {'model': model_name, 'relation': settings.root, 'column': column}) -%}
  {%- endfor -%}
{%- endmacro -%}

{# The mappings of a relation, of which most have one. #}
{%- macro _mappings(value) -%}
  {{ return([value] if value is mapping else value | list) }}
{%- endmacro -%}

{# A kept row holds of a column that is not compared what it was at the row's last change: by it a row would not be found again. #}
{%- macro _require_compared(model_name, settings, relation, column) -%}
  {%- if not deltawave._is_compared_exactly(settings, column) -%}
    {%- do deltawave._fail('mapped_uncompared', {'model': model_name, 'relation': relation, 'column': column}) -%}
  {%- endif -%}
{%- endmacro -%}

{# Does a log of these settings tell every change of a column, so that what it says of before is what it said last? #}
{%- macro _is_compared_exactly(settings, column) -%}
  {%- set name = column | lower -%}
  {%- set touched = [settings.updated_at] if settings.updated_at and not settings.compare_columns else [] -%}
  {%- set inexact = ((settings.ignore_columns or []) + touched + (settings.tolerance or {}).keys() | list) | map('lower') | list -%}
  {%- set compared = (settings.compare_columns or [name]) | map('lower') | list -%}
  {{ return(name in settings.unique_key | map('lower') or name in compared and name not in inexact) }}
{%- endmacro -%}

{# The relations that are declared constant, none of which can be mapped as well. #}
{%- macro _constant_names(model_name, settings) -%}
  {%- set names = deltawave._name_list(model_name, 'constant_relations', settings.constant_relations or [], kind='name') -%}
  {%- for name in names if name in settings.relations -%}
    {%- do deltawave._fail('option_value', {
      'model': model_name, 'option': 'constant_relations', 'value': settings.constant_relations,
      'allowed': 'names that are not in relations',
    }) -%}
  {%- endfor -%}
  {{ return(names) }}
{%- endmacro -%}

{#
  The relations as lists of mappings, the root first, in an order of their own: dbt's parser does not keep that of a mapping. The first
  mapping of the root names the anchors.
#}
{%- macro _root_first(settings) -%}
  {%- set relations = {settings.root: none} -%}
  {%- for relation, mappings in settings.relations | dictsort -%}
    {%- set ordered = [] -%}
    {%- for columns in deltawave._mappings(mappings) -%}{%- do ordered.append(dict(columns | dictsort)) -%}{%- endfor -%}
    {%- do relations.update({relation: ordered}) -%}
  {%- endfor -%}
  {{ return(relations) }}
{%- endmacro -%}
