"""Strategies that a project adds by a declaration and one file each: one compares by SQL, the other by Python."""

import python_strategy

DECLARATIONS = f"""
{{% macro default___strategies() %}}
  {{{{ return(dict(
    deltawave.default___strategies(),
    not_in=deltawave._strategy(
      reads='dump', reader='_whole_dump', comparison='_changes_by_not_in', keeps='copy', sees_deletes='all',
      source='LG96 3.1', allows={{'duplicate_keys': ['fail', 'quarantine']}}
    ),
    by_function=deltawave._strategy(
      reads='dump', reader='_whole_dump', comparison='{python_strategy.DOTTED_PATH}', compares='python',
      keeps='copy', sees_deletes='all', source='LG96 3.1',
      allows={{'duplicate_keys': ['fail', 'quarantine']}}
    )
  )) }}}}
{{% endmacro %}}
"""

# Two left joins and a union: what a user would write who has no full outer join.
COMPARISON = """
{% macro default___changes_by_not_in(sides) %}
{% set differences = deltawave._is_backfilled(sides) %}
{% for column in sides.compared %}{% do differences.append('not ' ~ deltawave._is_equal(column)) %}{% endfor %}
with {{ deltawave._two_sides(sides) }},

joined as (
    select
        {{ deltawave._change_row(sides, 'new', 'old') }},
        if(old_side.{{ sides.presence }} is null, 'insert', 'update') as change_type,
        if(old_side.{{ sides.presence }} is null, null, {{ deltawave._changed_names(sides) }}) as changed_columns
    from new_side
    left join old_side
        on {{ deltawave._on_key(sides) }}
    where old_side.{{ sides.presence }} is null
        {% for difference in differences %}
        or {{ difference }}
        {% endfor %}
)

select *
from joined
union all
select
    {{ deltawave._change_row(sides, 'old', none) }},
    'delete' as change_type,
    cast(null as array<string>) as changed_columns
from old_side
left join new_side
    on {{ deltawave._on_key(sides) }}
where new_side.{{ sides.presence }} is null
{% endmacro %}
"""

MACROS = {"own_strategies.sql": DECLARATIONS, "changes_by_not_in.sql": COMPARISON}
