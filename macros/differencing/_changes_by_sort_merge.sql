{#
  The full outer join as LG96 3.1 (SM) runs it, whatever the session prefers: both sides are merged in the order of the key's hash, which is that of
  the state.
#}
{%- macro default___changes_by_sort_merge(sides) -%}
{{ deltawave.default___changes_by_outer_join(dict(sides, hint='merge')) }}
{%- endmacro -%}
