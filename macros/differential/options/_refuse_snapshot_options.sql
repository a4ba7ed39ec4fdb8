{# Refuses options of dbt snapshots that have another name here, or none: nothing would read them. #}
{%- macro _refuse_snapshot_options(name, config, kind) -%}
  {%- set instead = {
    'scd2': {'check_cols': 'track_columns', 'invalidate_hard_deletes': 'hard_deletes'},
    'differential': {'check_cols': 'compare_columns'},
  }.get(kind, {}) -%}
  {%- for option in instead if deltawave._given(name, config, option) is not none -%}
    {%- do deltawave._fail('snapshot_option', {
      'model': name, 'kind': kind, 'option': option, 'instead': instead[option],
    }) -%}
  {%- endfor -%}
  {#- Another value is a strategy of ours, from a folder's configuration. -#}
  {%- set strategy = deltawave._given(name, config, 'strategy') -%}
  {%- if kind == 'scd2' and strategy in ['check', 'timestamp'] -%}
    {%- do deltawave._fail('snapshot_strategy', {'model': name, 'strategy': strategy}) -%}
  {%- endif -%}
{%- endmacro -%}
