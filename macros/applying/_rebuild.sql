{# base with changes applied, as a select; columns that are not in the log keep the values of base. #}
{%- macro _rebuild(base, keys, names, logged, changes) -%}
  {%- set same_key = deltawave._same_key(keys, 'base_side', 'last_changes') -%}
with base_side as (
    select
        {{ deltawave._quoted_list(names) | join(',\n        ') }}
    from {{ base }}
),

last_changes as (
    {{ deltawave._indented(changes) }}
),

untouched as (
    select
        {{ deltawave._quoted_list(names, 'base_side') | join(',\n        ') }}
    from base_side
    left anti join last_changes
        on {{ same_key }}
),

changed as (
    select
        {%- for name in names %}
        {{ 'last_changes' if name in logged else 'base_side' }}.{{ deltawave._quoted(name) }}{{ ',' if not loop.last }}
        {%- endfor %}
    from last_changes
    {%- if logged | length < names | length %}
    left join base_side
        on {{ same_key }}
    {%- endif %}
    where last_changes.`_change_type` <> 'delete'
)

select
    {{ deltawave._quoted_list(names) | join(',\n    ') }}
from untouched
union all
select
    {{ deltawave._quoted_list(names) | join(',\n    ') }}
from changed
{%- endmacro -%}
