{#
  The only reader of a differential model's configuration. Options come from meta: {deltawave: {...}} first, then from the top level; each has a
  default, and invalid values are refused. Needs no connection, so the adapter can check before any statement runs.
#}
{%- macro _differential_settings(name, config) -%}
  {%- set options = deltawave._options() -%}
  {%- do deltawave._refuse_unknown(name, config, options) -%}
  {%- set settings = {} -%}
  {%- for option, declared in options.items() -%}
    {%- set value = deltawave._given(config, option) -%}
    {%- set value = declared.default if value is none else value -%}
    {%- do deltawave._check_option(name, option, declared, value) -%}
    {%- do settings.update({option: deltawave._listed(value) if declared.is in ['names', 'columns'] and value is not none else value}) -%}
  {%- endfor -%}
  {%- do deltawave._check_settings(name, settings, options) -%}
  {%- do settings.update(is_auto=settings.strategy == 'auto', reason='configured') -%}
  {%- if settings.is_auto -%}{%- do settings.update(strategy=deltawave._auto_strategies()[0]) -%}{%- endif -%}
  {%- do deltawave._check_strategy(name, settings, options) -%}
  {%- if settings.relations -%}{%- do settings.update(relations=deltawave._root_first(settings)) -%}{%- endif -%}
  {{ return(settings) }}
{%- endmacro -%}

{# The value that a model gives for an option; none if it gives none. #}
{%- macro _given(config, option) -%}
  {%- set meta = (config.get('meta') or {}).get('deltawave') or {} -%}
  {{ return(meta[option] if option in meta else config.get(option)) }}
{%- endmacro -%}

{# Refuses configuration keys that look meant for us but that nobody reads. #}
{%- macro _refuse_unknown(name, config, options) -%}
  {%- set meta = (config.get('meta') or {}).get('deltawave') or {} -%}
  {%- set retired = deltawave._given(config, 'covering_copy') -%}
  {%- if retired -%}
    {%- do deltawave._fail('covering_copy', {'model': name, 'copy': retired}) -%}
  {%- endif -%}
  {%- for option in meta if option not in options -%}
    {%- do deltawave._fail('unknown_option', {'model': name, 'option': option, 'known': options.keys() | sort | join(', ')}) -%}
  {%- endfor -%}
  {%- do deltawave._refuse_misspelt(name, config, options) -%}
  {%- if config.get('meta') -%}
    {%- do deltawave._refuse_misplaced(name, config, options) -%}
  {%- endif -%}
{%- endmacro -%}

{#
  Refuses keys that nobody reads and that look like one of our options misspelt: dbt silently passes on unknown keys, and a comparison without its
  option is wrong for good. A key of the user's own that is too similar can go under meta, which is not checked.
#}
{%- macro _refuse_misspelt(model_name, config, options) -%}
  {#- What dbt and dbt-spark read from a model: none of it counts as misspelt, and most of it is always there. -#}
  {%- set of_dbt = [
    'access', 'alias', 'batch_size', 'begin', 'clustered_by', 'column_types', 'concurrent_batches', 'contract', 'database', 'docs',
    'enabled', 'event_time', 'freshness', 'grants', 'group', 'incremental_strategy', 'location_root', 'lookback', 'materialized',
    'merge_update_columns', 'meta', 'on_configuration_change', 'options', 'packages', 'partition_by', 'persist_docs', 'post-hook',
    'post_hook', 'pre-hook', 'pre_hook', 'quoting', 'schema', 'sql_header', 'static_analysis', 'tags', 'tblproperties',
  ] -%}
  {%- for given in config if given not in options and given not in of_dbt and config[given] is not none -%}
    {%- for option in options if deltawave._is_near(given, option) -%}
      {%- do deltawave._fail('misspelt_option', {'model': model_name, 'given': given, 'option': option}) -%}
    {%- endfor -%}
  {%- endfor -%}
{%- endmacro -%}

{#
  Refuses options placed directly under meta instead of meta.deltawave: dbt's own warning about unknown keys sends users there. Exempt are names
  of a single word, which users may need, and options without which the model fails anyway.
#}
{%- macro _refuse_misplaced(model_name, config, options) -%}
  {%- set meta = config.get('meta') -%}
  {%- for given in meta if given != 'deltawave' and meta[given] is mapping and deltawave._is_near(given, 'deltawave') -%}
    {%- do deltawave._fail('misplaced_option', {'model': model_name, 'given': given}) -%}
  {%- endfor -%}
  {%- set read = meta.deltawave or {} -%}
  {%- for option in options if option in meta and '_' in option and option not in read and config.get(option) is none -%}
    {%- if option not in ['unique_key', 'updated_at', 'delete_flag'] -%}
      {%- do deltawave._fail('misplaced_option', {'model': model_name, 'given': option}) -%}
    {%- endif -%}
  {%- endfor -%}
{%- endmacro -%}

{#
  Does a key differ from the option only by case, dashes, a plural, words cut off or added (max_deletes, ignore_cols, unique_key_columns), or a
  letter or two?
#}
{%- macro _is_near(given, option) -%}
  {%- set theirs = deltawave._words_of_option(given) -%}
  {%- set ours = deltawave._words_of_option(option) -%}
  {%- set pairs = zip(theirs, ours) | list -%}
  {%- set apart = [] -%}
  {%- for one, other in pairs if not (one.startswith(other) or other.startswith(one)) -%}{%- do apart.append(one) -%}{%- endfor -%}
  {%- if pairs | length > 1 and not apart -%}
    {{ return(true) }}
  {%- endif -%}
  {%- set one, other = theirs | join, ours | join -%}
  {%- set bound = 1 if other | length < 12 else 2 -%}
  {{ return((one | length - other | length) | abs <= bound and deltawave._edit_distance(one, other) <= bound) }}
{%- endmacro -%}

{# In lower case and the singular. #}
{%- macro _words_of_option(name) -%}
  {%- set words = [] -%}
  {%- for word in modules.re.split('[^a-z0-9]+', name | lower) -%}{%- do words.append(word.removesuffix('s')) -%}{%- endfor -%}
  {{ return(words | select | list) }}
{%- endmacro -%}

{# The number of letters to insert, delete, replace or swap with a neighbour. #}
{%- macro _edit_distance(one, other) -%}
  {%- set rows = namespace(before=none, last=range(other | length + 1) | list) -%}
  {%- for letter in one -%}
    {%- set i = loop.index0 -%}
    {%- set row = [i + 1] -%}
    {%- for theirs in other -%}
      {%- set j = loop.index0 -%}
      {%- set costs = [row[j] + 1, rows.last[j + 1] + 1, rows.last[j] + (0 if letter == theirs else 1)] -%}
      {%- if i > 0 and j > 0 and letter == other[j - 1] and theirs == one[i - 1] -%}
        {%- do costs.append(rows.before[j - 1] + 1) -%}
      {%- endif -%}
      {%- do row.append(costs | min) -%}
    {%- endfor -%}
    {%- set rows.before = rows.last -%}
    {%- set rows.last = row -%}
  {%- endfor -%}
  {{ return(rows.last[-1]) }}
{%- endmacro -%}
