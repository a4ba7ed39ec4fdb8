{#
  Checks a view's relations. Refuses a mapped column that is not compared exactly, a root that is not one of them, and
  constant relations that are among them. The root's columns, the anchors, have to be part of the view's key: otherwise
  a key could occur under two anchors, only one of which is compared.
#}
{%- macro default___check_relations(model_name, settings) -%}
  {%- set relations = settings.relations -%}
  {%- for relation, mappings in relations.items() -%}
    {%- for columns in deltawave._mappings(mappings) -%}
      {%- for column in columns.values() if not deltawave._is_compared_exactly(settings, column) -%}
        {#- In the state such a column may be as old as the row's last change, so the row could not be found by it. -#}
        {%- do deltawave._fail('mapped_uncompared', {'model': model_name, 'relation': relation, 'column': column}) -%}
      {%- endfor -%}
    {%- endfor -%}
  {%- endfor -%}
  {%- if settings.root not in relations -%}
    {%- do deltawave._refuse_option(
      model_name, 'root', settings.root, 'one of the relations: ' ~ relations.keys() | sort | join(', ')
    ) -%}
  {%- endif -%}
  {%- for column in deltawave._mappings(relations[settings.root])[0].values()
      if column | lower not in settings.unique_key | map('lower') -%}
    {%- do deltawave._fail('anchor_key', {'model': model_name, 'relation': settings.root, 'column': column}) -%}
  {%- endfor -%}
  {%- for name in settings.constant_relations if name in relations -%}
    {%- do deltawave._refuse_option(
      model_name, 'constant_relations', settings.constant_relations, 'names that are not in relations'
    ) -%}
  {%- endfor -%}
{%- endmacro -%}

{# The mappings of a relation; most relations have one. #}
{%- macro _mappings(value) -%}{{ return([value] if value is mapping else value | list) }}{%- endmacro -%}

{# Does a log with these settings record every change of a column, so that a before image is its last value there? #}
{%- macro _is_compared_exactly(settings, column) -%}
  {%- set name = column | lower -%}
  {%- set touched = [settings.updated_at] if settings.updated_at and not settings.compare_columns else [] -%}
  {%- set inexact = (
    (settings.ignore_columns or []) + touched + (settings.tolerance or {}).keys() | list
  ) | map('lower') | list -%}
  {%- set compared = (settings.compare_columns or [name]) | map('lower') | list -%}
  {{ return(name in settings.unique_key | map('lower') or name in compared and name not in inexact) }}
{%- endmacro -%}

{#
  The relations as lists of mappings: the root first, the others sorted, since dbt's parser does not keep the order of
  a mapping. The root's first mapping names the anchors.
#}
{%- macro _root_first(settings) -%}
  {%- set relations = {settings.root: none} -%}
  {%- for relation, mappings in settings.relations | dictsort -%}
    {%- set ordered = [] -%}
    {%- for columns in deltawave._mappings(mappings) -%}
      {%- do ordered.append(dict(columns | dictsort)) -%}
    {%- endfor -%}
    {%- do relations.update({relation: ordered}) -%}
  {%- endfor -%}
  {{ return(relations) }}
{%- endmacro -%}
