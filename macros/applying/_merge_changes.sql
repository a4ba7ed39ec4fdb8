{# Applies changes to base in place, in one merge statement. #}
{%- macro _merge_changes(base, keys, logged, changes) -%}
  {%- set set = [] -%}
  {%- for name in logged if name | lower not in keys | map('lower') -%}
    {%- do set.append(deltawave._quoted(name) ~ ' = last_changes.' ~ deltawave._quoted(name)) -%}
  {%- endfor -%}
merge into {{ base }} as base_side
using (
    {{ deltawave._indented(changes) }}
) as last_changes
    on {{ deltawave._same_key(keys, 'base_side', 'last_changes') }}
when matched and last_changes.`_change_type` = 'delete' then delete
{%- if set %}
when matched then update set
    {{ set | join(',\n    ') }}
{%- endif %}
when not matched and last_changes.`_change_type` <> 'delete' then insert (
    {{ deltawave._quoted_list(logged) | join(',\n    ') }}
) values (
    {{ deltawave._quoted_list(logged, 'last_changes') | join(',\n    ') }}
)
{%- endmacro -%}
