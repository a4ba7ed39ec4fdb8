{#
  The current rows of a bag's log (duplicate_keys: multiset, LG95 4.6), on top of the rows of base if given. An update
  or delete names its row by values, so rows are counted: an insert adds a row, a delete removes one, an update does
  both. columns: [{name, data_type}].
#}
{%- macro _counted_state(log, keys, columns, from_batch=none, to_batch=none, base=none) -%}
  {%- set names = columns | map(attribute='name') | list -%}
  {%- set quoted = deltawave._quoted_list(names) -%}
  {%- set bounds = deltawave._batch_bounds(from_batch, to_batch) -%}
  {%- set key_names = keys | map('lower') | list -%}
with weighted_rows as (
    {%- if base %}
    select
        {{ quoted | join(',\n        ') }},
        1 as `_weight`
    from {{ base }}
    union all
    {%- endif %}
    -- What the log adds (1) and removes (-1).
    select
        {{ quoted | join(',\n        ') }},
        if(`_change_type` = 'delete', -1, 1) as `_weight`
    from {{ log }}
    {%- if bounds %}
    where {{ bounds | join(' and ') }}
    {%- endif %}
    union all
    select
        {%- for name in names %}
        {{ '' if name | lower in key_names else '`_before`.' }}{{ deltawave._quoted(name) }},
        {%- endfor %}
        -1 as `_weight`
    from {{ log }}
    where {{ (["`_change_type` = 'update'"] + bounds) | join(' and ') }}
),

net_rows as (
    {{ deltawave._indented(deltawave._net_rows('weighted_rows', columns)) }}
)

select
    {{ quoted | join(',\n    ') }}
from net_rows
lateral view explode(sequence(1, `_copies`)) copies as `_copy`
where `_copies` > 0
{%- endmacro -%}

{# Do rows form bags, by the option duplicate_keys? Refuses unknown values. #}
{%- macro _is_multiset(duplicate_keys, macro_name) -%}
  {%- set allowed = deltawave._options().duplicate_keys['values'] -%}
  {%- do deltawave._require_choice(macro_name, 'duplicate_keys', duplicate_keys, allowed) -%}
  {{ return(duplicate_keys == 'multiset') }}
{%- endmacro -%}
