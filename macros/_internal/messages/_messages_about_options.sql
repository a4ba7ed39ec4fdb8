{# Messages about options, by what has to be corrected. #}
{%- macro _messages_about_options() -%}
{%- set texts -%}
{% raw %}
Configuration:
  required: "{model}: '{option}' is required, for instance {option}: {example}."
  option_value: "{model}: '{option}' can't be {value!r}; it takes {allowed}."
  misspelt_option: >-
    {model}: '{given}' is not an option, but nearly '{option}'. Write '{option}', or rename '{given}' if it is a key of
    your own.
  option_twice: >-
    {model}: '{option}' is {under_meta!r} under meta, but {at_top!r} at the top level of the config. Take one of them
    out.
  option_of_dbt: >-
    {model}: '{option}' is under meta. It is dbt's own option: write it at the top level of the config, since dbt gives
    it a value there.
  removed: >-
    {model}: this version does without some of the model's configuration: {found}. The log goes on from its last batch.
  option_block: >-
    {model}: meta has a block '{given}', which nobody reads. Write its options directly under meta, like meta:
    {strategy: union}.
  compare_and_ignore: "{model}: 'compare_columns' and 'ignore_columns' can't both be given; keep one of them."
  date_in_key: >-
    {model}: '{column}' is the dump's date (snapshot_date), so it can't be in unique_key as well. Remove it from
    unique_key.
  without_dates: >-
    {model}: '{option}' can't be {value!r} without 'snapshot_date', which names the column of the dumps' dates. Name
    that column, or change '{option}'.
  option_of_dates: >-
    {model}: '{option}' can't be {value!r} with snapshot_order: {order}, since it needs the dates of dumps. Leave
    '{option}' out, or let snapshot_date name a column of dates, without snapshot_order.
  removal_option: "{model}: {option} does not go with {other}: {value}. Leave one of them out."
  multiset_option: >-
    {model}: '{option}' can't be {value!r} with duplicate_keys: multiset, which compares and counts whole rows; it takes
    {allowed}.
  required_by_strategy: "{model}: strategy: {strategy} needs '{option}', for instance {option}: {example}."
  declaration: >-
    {model}: strategy: {strategy} is declared with {given}; {trait} takes {allowed} there. Correct it in the macro
    default___strategies.
  declared_option: >-
    {model}: the declaration of strategy: {strategy} names the option '{option}', which does not exist; known are
    {known}. Correct it in the macro default___strategies, or declare the option in default___options.
  option_of_strategy: >-
    {model}: '{option}' has no effect with strategy: {strategy}; it belongs to {strategies}. Remove it, or change the
    strategy.
  option_with_strategy: >-
    {model}: '{option}' can't be {value!r} with strategy: {strategy}; it takes {allowed}{reason}. {remedy}
  control_in_key: >-
    {model}: '{column}' says {meaning} ({option}), so it can't be in unique_key as well. Remove it from unique_key.
  python_adapter: >-
    {model}: its strategy compares in Python, by {function}, and needs a profile of type: deltawave; the adapter of this
    profile runs no Python. Use another strategy, or another profile.
{% endraw %}
{%- endset -%}
{{ return(fromyaml(texts)) }}
{%- endmacro -%}
