{#
  The declaration of a strategy, with its name. Every name is resolved here, so an unknown name or an invalid
  declaration fails wherever it is given.
#}
{%- macro _strategy_named(model_name, name) -%}
  {%- set strategies = deltawave._strategies() -%}
  {%- if name not in strategies -%}
    {%- do deltawave._refuse_option(
      model_name, 'strategy', name, (['auto'] + strategies.keys() | list) | join(', ')
    ) -%}
  {%- endif -%}
  {%- set strategy = dict(strategies[name], name=name) -%}
  {%- do deltawave._check_declaration(model_name, strategy) -%}
  {{ return(strategy) }}
{%- endmacro -%}

{# The strategies that compare two whole relations by SQL, and so need neither a state nor Python. #}
{%- macro _stateless_strategies() -%}
  {%- set names = [] -%}
  {%- for name, strategy in deltawave._strategies().items() if strategy.reads == 'dump'
      and strategy.compares == 'sql' -%}
    {%- do names.append(name) -%}
  {%- endfor -%}
  {{ return(names) }}
{%- endmacro -%}

{# What auto chooses from; the first one has no assumptions. #}
{%- macro _auto_strategies() -%}{{ return(['outer_join', 'hash_compressed', 'row_checksum']) }}{%- endmacro -%}

{#
  Refuses a declaration with a trait that the engine does not know, or that contradicts another: nothing else would
  notice a misspelt one. A declaration may allow less of an option than the engine does, but not more.
#}
{%- macro _check_declaration(model_name, strategy) -%}
  {%- for trait, known in deltawave._traits(strategy).items() if strategy[trait] not in known.takes -%}
    {%- set traits = [deltawave._trait(trait, strategy[trait])] -%}
    {%- if known.depends_on -%}
      {%- do traits.append(deltawave._trait(known.depends_on, strategy[known.depends_on])) -%}
    {%- endif -%}
    {%- do deltawave._refuse_declaration(model_name, strategy, traits | join(' and '), trait, known.takes) -%}
  {%- endfor -%}
  {%- for option, limit in deltawave._limits(strategy.reads, strategy.compares).items() -%}
    {%- set beyond = strategy.allows[option] | reject('in', limit) | list -%}
    {%- if beyond -%}
      {%- set given = 'allows of ' ~ option ~ ': ' ~ beyond[0] ~ ' and ' ~ deltawave._trait('reads', strategy.reads) -%}
      {%- set given = given ~ ', ' ~ deltawave._trait('compares', strategy.compares) -%}
      {%- do deltawave._refuse_declaration(model_name, strategy, given, option, limit) -%}
    {%- endif -%}
  {%- endfor -%}
{%- endmacro -%}

{%- macro _refuse_declaration(model_name, strategy, given, trait, takes) -%}
  {%- set allowed = [] -%}
  {%- for value in takes -%}{%- do allowed.append('none' if value is none else value) -%}{%- endfor -%}
  {%- do deltawave._fail('declaration', {
    'model': model_name, 'strategy': strategy.name, 'given': given, 'trait': trait, 'allowed': allowed | join(', '),
  }) -%}
{%- endmacro -%}

{# A trait as the declaration writes it. #}
{%- macro _trait(name, value) -%}
  {{ return(name ~ '=' ~ ('none' if value is none else "'" ~ value ~ "'")) }}
{%- endmacro -%}

{# The values that each trait of a declaration takes; `depends_on`: the trait on which they depend. #}
{%- macro _traits(strategy) -%}
  {%- set forms = deltawave._state_forms() -%}
  {%- set form = forms.get(strategy.keeps) or {} -%}
  {%- set after = 'dump' if strategy.reads == 'dump' else 'slice' -%}
  {%- set names = [] -%}
  {%- for name, other in forms.items() if other.after == after -%}{%- do names.append(name) -%}{%- endfor -%}
  {%- set has_checksums = form.fingerprint is string -%}
  {%- set compares_ranges = strategy.ranges == 'compared' -%}
  {{ return({
    'reads': {'takes': ['dump', 'differences', 'slice', 'logs']},
    'compares': {'takes': ['sql', 'python']},
    'keeps': {'takes': names, 'depends_on': 'reads'},
    'ranges': {'takes': [none, 'lookup', 'compared'] if form.has_ranges else [none], 'depends_on': 'keeps'},
    'checksums': {
      'takes': ['rows'] if has_checksums else [none, 'ranges'] if compares_ranges else [none],
      'depends_on': 'ranges' if form.has_ranges else 'keeps',
    },
    'sees_deletes': {'takes': ['all', 'flagged', 'none']},
    'before_images': {'takes': ['log'] if has_checksums else ['always', 'log'], 'depends_on': 'keeps'},
    'resumes': {'takes': [none, 'strategy', 'select']},
  }) }}
{%- endmacro -%}

{# The values of options that the engine allows any strategy of that kind. #}
{%- macro _limits(reads, compares) -%}
  {%- set limits = {} -%}
  {#- The rows outside a slice have no date, and no value of a new column; nor are they counted. -#}
  {%- if reads not in ['dump', 'differences'] -%}
    {%- do limits.update(snapshot_date=[none], expected_rows=[none], on_schema_change=['ignore', 'fail']) -%}
  {%- endif -%}
  {#- A bag is counted over the whole table, and by the engine's own comparison. -#}
  {%- if reads != 'dump' or compares == 'python' -%}
    {%- do limits.update(duplicate_keys=['fail', 'quarantine']) -%}
  {%- endif -%}
  {{ return(limits) }}
{%- endmacro -%}
