{#
  The last change of each key: the given columns and _change_type. Within a batch deletes apply before inserts (LG96
  1.1), so of a delete and an insert of one key the insert is the last.
#}
{%- macro _last_changes(log, keys, names, from_batch=none, to_batch=none) -%}
  {%- set bounds = deltawave._batch_bounds(from_batch, to_batch) -%}
select
    {{ deltawave._quoted_list(names) | join(',\n    ') }},
    `_change_type`
from (
    select
        {{ deltawave._quoted_list(names) | join(',\n        ') }},
        `_change_type`,
        row_number() over (
            partition by {{ deltawave._quoted_list(keys) | join(', ') }}
            order by `_batch_id` desc, if(`_change_type` = 'delete', 1, 0)
        ) as `_recency`
    from {{ log }}
    {%- if bounds %}
    where {{ bounds | join('\n        and ') }}
    {%- endif %}
)
where `_recency` = 1
{%- endmacro -%}

{# The conditions that restrict a log to some of its batches, both bounds included. #}
{%- macro _batch_bounds(from_batch, to_batch) -%}
  {%- set bounds = [] -%}
  {%- if from_batch is not none -%}{%- do bounds.append('`_batch_id` >= ' ~ from_batch) -%}{%- endif -%}
  {%- if to_batch is not none -%}{%- do bounds.append('`_batch_id` <= ' ~ to_batch) -%}{%- endif -%}
  {{ return(bounds) }}
{%- endmacro -%}

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
