{#
  The contract's columns, from the flat columns of the log, or of a relation that has the same ones. An update has no known row before it if
  neither its changed columns nor any value before are known.
#}
{%- macro _contract_columns(columns, has_before, alias='log') -%}
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
    {{ alias }}.batch_id as `_batch_id`,
    {{ alias }}.batch_at as `_batch_at`
{%- endmacro -%}
