{# The declaration of a strategy, with its name. Every name is resolved here, so an unknown name or an invalid declaration fails wherever it is given. #}
{%- macro _strategy_named(model_name, name) -%}
  {%- set strategies = deltawave._strategies() -%}
  {%- if name not in strategies -%}
    {%- do deltawave._fail('option_value', {
      'model': model_name, 'option': 'strategy', 'value': name, 'allowed': (['auto'] + strategies.keys() | list) | join(', '),
    }) -%}
  {%- endif -%}
  {%- set strategy = dict(strategies[name], name=name) -%}
  {%- do deltawave._check_declaration(model_name, strategy) -%}
  {{ return(strategy) }}
{%- endmacro -%}

{# The options that a strategy's Python function receives: not in_place if the engine itself keeps files in place. #}
{%- macro _options_of_function(strategy) -%}
  {{ return(strategy.options | reject('eq', 'in_place') | list if strategy.keeps_in_place else strategy.options) }}
{%- endmacro -%}

{# The strategies that compare two whole relations by SQL, and so need neither a state nor Python. #}
{%- macro _stateless_strategies() -%}
  {%- set names = [] -%}
  {%- for name, strategy in deltawave._strategies().items() if strategy.reads == 'dump' and strategy.compares == 'sql' -%}
    {%- do names.append(name) -%}
  {%- endfor -%}
  {{ return(names) }}
{%- endmacro -%}

{# What auto chooses from; the first one has no assumptions. #}
{%- macro _auto_strategies() -%}{{ return(['outer_join', 'hash_compressed', 'window']) }}{%- endmacro -%}
