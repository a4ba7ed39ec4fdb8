{# The strategy that a batch takes, and why: both are kept in x__batches. #}
{%- macro _chosen_strategy(strategy) -%}
  {%- if strategy == 'auto' -%}
    {{ return({'strategy': 'outer_join', 'reason': 'auto: exact, and the kept side needs no exchange'}) }}
  {%- endif -%}
  {{ return({'strategy': strategy, 'reason': 'configured'}) }}
{%- endmacro -%}
