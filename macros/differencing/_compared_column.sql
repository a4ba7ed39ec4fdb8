{# A column that only one side has is carried, not compared: otherwise every row would be an update. #}
{%- macro _compared_column(settings, column, in_old, in_new) -%}
  {%- set name = column.name | lower -%}
  {%- set chosen = settings.compare_columns | map('lower') | list if settings.compare_columns else none -%}
  {#- A row that was touched but not changed has a new timestamp, and is not a change. -#}
  {%- set touched = [settings.updated_at] if settings.updated_at and chosen is none else [] -%}
  {%- set ignored = ((settings.ignore_columns or []) + touched) | map('lower') | list -%}
  {%- set tolerances = {} -%}
  {%- for key, value in (settings.tolerance or {}).items() -%}{%- do tolerances.update({key | lower: value}) -%}{%- endfor -%}
  {%- set is_chosen = not column.is_key and (chosen is none or name in chosen) and name not in ignored -%}
  {{ return({
    'name': column.name,
    'data_type': column.data_type,
    'is_key': column.is_key,
    'in_old': in_old,
    'in_new': in_new,
    'is_chosen': is_chosen,
    'is_compared': is_chosen and in_old and in_new,
    'tolerance': tolerances.get(name),
  }) }}
{%- endmacro -%}
