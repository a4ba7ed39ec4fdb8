{#
  Refuses configuration keys that look meant for us but that nobody reads: a block with our name under meta, and an
  option misspelt. dbt silently passes on unknown keys, and a comparison without its option is wrong for good. Under
  meta a user has keys of his own, so fewer count as misspelt there.
#}
{%- macro _refuse_misspelt(model_name, config, options) -%}
  {%- set meta = config.get('meta') or {} -%}
  {%- for given in meta if meta[given] is iterable and meta[given] is not string
      and ('deltawave' in given | lower or deltawave._is_near(given, 'deltawave')) -%}
    {%- do deltawave._fail('option_block', {'model': model_name, 'given': given}) -%}
  {%- endfor -%}
  {#- What dbt and dbt-spark read from a model: none of it counts as misspelt, and most of it is always there. -#}
  {%- set of_dbt = [
    'access', 'alias', 'batch_size', 'begin', 'clustered_by', 'column_types', 'concurrent_batches', 'contract',
    'database', 'docs', 'enabled', 'event_time', 'freshness', 'grants', 'group', 'incremental_strategy',
    'location_root', 'lookback', 'materialized', 'merge_update_columns', 'meta', 'on_configuration_change', 'options',
    'packages', 'partition_by', 'persist_docs', 'post-hook', 'post_hook', 'pre-hook', 'pre_hook', 'quoting', 'schema',
    'sql_header', 'static_analysis', 'tags', 'tblproperties',
  ] -%}
  {%- for given in config if given not in options and given not in of_dbt and config[given] is not none -%}
    {%- for option in options if deltawave._is_near(given, option) -%}
      {%- do deltawave._fail('misspelt_option', {'model': model_name, 'given': given, 'option': option}) -%}
    {%- endfor -%}
  {%- endfor -%}
  {%- for given in meta if given not in options and meta[given] is not none -%}
    {%- for option in options if deltawave._is_near_under_meta(given, option) -%}
      {%- do deltawave._fail('misspelt_option', {'model': model_name, 'given': given, 'option': option}) -%}
    {%- endfor -%}
  {%- endfor -%}
{%- endmacro -%}

{#
  Does a key differ from the option only by case, dashes, a plural, words cut off or added (max_deletes, ignore_cols,
  unique_key_columns), or one letter?
#}
{%- macro _is_near(given, option) -%}
  {%- set theirs = deltawave._words_of_option(given) -%}
  {%- set ours = deltawave._words_of_option(option) -%}
  {%- set pairs = zip(theirs, ours) | list -%}
  {%- set apart = [] -%}
  {%- for one, other in pairs if not (one.startswith(other) or other.startswith(one)) -%}
    {%- do apart.append(one) -%}
  {%- endfor -%}
  {%- if pairs | length > 1 and not apart -%}{{ return(true) }}{%- endif -%}
  {{ return(deltawave._differ_by_a_letter(theirs | join, ours | join)) }}
{%- endmacro -%}

{#
  Does a key under meta differ from the option only by case, dashes, our name before it, a plural, words cut off or
  shortened (max_deletes, ignore_cols), or one letter? Words that are added make a key of the user's own
  (full_refresh_day), and so do a letter or the plural in a short word (roots, remove).
#}
{%- macro _is_near_under_meta(given, option) -%}
  {%- set bare = modules.re.sub('^[^a-z0-9]*(deltawave[^a-z0-9]+)?', '', given | lower) -%}
  {%- set theirs = deltawave._words_of_option(bare) -%}
  {%- set ours = deltawave._words_of_option(option) -%}
  {%- set one, other = theirs | join, ours | join -%}
  {%- if bare == option -%}
    {{ return(true) }}
  {%- elif one == other -%}
    {{ return(ours | length > 1 or (other | length > 6 and bare | length >= option | length)) }}
  {%- endif -%}
  {%- set longer = [] -%}
  {%- for word, whole in zip(theirs, ours) if not whole.startswith(word) or word != whole and word | length < 3 -%}
    {%- do longer.append(word) -%}
  {%- endfor -%}
  {%- if theirs | length > 1 and theirs | length <= ours | length and not longer -%}{{ return(true) }}{%- endif -%}
  {{ return(other | length > 7 and deltawave._differ_by_a_letter(one, other)) }}
{%- endmacro -%}

{# In lower case and the singular. #}
{%- macro _words_of_option(name) -%}
  {%- set words = [] -%}
  {%- for word in modules.re.split('[^a-z0-9]+', name | lower) -%}
    {%- do words.append(word[:-1] if word.endswith('s') else word) -%}
  {%- endfor -%}
  {{ return(words | select | list) }}
{%- endmacro -%}

{#
  Do two words differ by a letter that is inserted, left out, replaced or in another place? Then what is left of them
  without a letter is the same.
#}
{%- macro _differ_by_a_letter(one, other) -%}
  {{ return(deltawave._without_a_letter(one) | select('in', deltawave._without_a_letter(other)) | list | length > 0) }}
{%- endmacro -%}

{# A word, and what is left of it without each of its letters. #}
{%- macro _without_a_letter(word) -%}
  {%- set found = [word] -%}
  {%- for letter in word -%}{%- do found.append(word[:loop.index0] ~ word[loop.index:]) -%}{%- endfor -%}
  {{ return(found) }}
{%- endmacro -%}
