{#
  The contract's columns, from the flat columns of the log, or of a relation that has the same ones. An update has no
  known row before it if neither its changed columns nor any value before are known. batch: the column that has the
  batch.
#}
{%- macro _contract_columns(columns, has_before, alias='log', batch='batch_id') -%}
  {%- set names = columns | map(attribute='name') | list -%}
  {%- set before = [] -%}
  {%- set known = [alias ~ '.changed_columns'] -%}
  {%- for column in columns | rejectattr('is_key') if has_before -%}
    {%- set value = alias ~ '.' ~ deltawave._quoted(deltawave._before_name(column.name)) -%}
    {%- do before.append(deltawave._literal(column.name) ~ ', ' ~ value) -%}
    {%- do known.append(value) -%}
  {%- endfor -%}
  {{ deltawave._quoted_list(names, alias) | join(',\n    ') }},
    {{ alias }}.change_type as `_change_type`,
    {{ alias }}.changed_columns as `_changed_columns`,
    {%- if before %}
    case when {{ alias }}.change_type = 'update' and not ({{ known | join(' is null and ') }} is null) then named_struct(
        {{ before | join(',\n        ') }}
    ) end as `_before`,
    {%- else %}
    cast(null as struct<>) as `_before`,
    {%- endif %}
    {{ alias }}.{{ deltawave._quoted(batch) }} as `_batch_id`,
    {{ alias }}.batch_at as `_batch_at`
{%- endmacro -%}

{# The name of the flat column that holds a column's before image. #}
{%- macro _before_name(name) -%}{{ return('before__' ~ name) }}{%- endmacro -%}

{# The flat columns of before images, which keys do not have: [{name, data_type}]. #}
{%- macro _before_columns(columns) -%}
  {%- set before = [] -%}
  {%- for column in columns if not column.is_key -%}
    {%- do before.append({'name': deltawave._before_name(column.name), 'data_type': column.data_type}) -%}
  {%- endfor -%}
  {{ return(before) }}
{%- endmacro -%}

{# The expressions for before images that do not exist or are not known; empty if the log has no before images. #}
{%- macro _null_before(columns, has_before) -%}
  {{ return(deltawave._null_columns(deltawave._before_columns(columns) if has_before else [])) }}
{%- endmacro -%}

{# A column that only one side has is carried, not compared: otherwise every row would be an update. #}
{%- macro _compared_column(settings, column, in_old, in_new) -%}
  {%- set name = column.name | lower -%}
  {%- set chosen = settings.compare_columns | map('lower') | list if settings.compare_columns else none -%}
  {#- A row that was touched but not changed has a new timestamp, and is not a change. -#}
  {%- set touched = [settings.updated_at] if settings.updated_at and chosen is none else [] -%}
  {%- set ignored = ((settings.ignore_columns or []) + touched) | map('lower') | list -%}
  {%- set tolerances = {} -%}
  {%- for key, value in (settings.tolerance or {}).items() -%}
    {%- do tolerances.update({key | lower: value}) -%}
  {%- endfor -%}
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
