{#
  Refuses options and strategies that were removed, in one message that says what to set, or what happens now.
  The log goes on from its last batch: what only a removed strategy stored of it is read once more, or made again
  from the log. Under meta such an option is a key like any other: none of them changes what is found.
#}
{%- macro _refuse_removed(name, config, options) -%}
  {%- set removed = {
    'checksum_bits': "checksums have 128 bits",
    'copy_format': "the previous state is stored as Parquet, on Databricks as Delta",
    'covering_copy': "let the model's select read the copy, since the select's filters and computed columns would not apply to it",
    'hint': "Spark chooses the join; strategy: sort_merge merges both sides",
    'in_place': "the next batch is compared with a copy of the dump, or with its hashes",
    'min_comparisons_before_error': "hashes have 128 bits; strategy: outer_join compares values",
    'range_pause': "a run reads its ranges one after another; ranges_per_run bounds what it reads",
  } -%}
  {%- set found = [] -%}
  {%- set strategy = deltawave._given(name, config, 'strategy') -%}
  {%- if strategy in ['window', 'text_diff', 'sort_merge_compressed'] and strategy not in deltawave._strategies() -%}
    {%- do found.append(
      'set strategy: auto or hash_compressed instead of ' ~ strategy ~ ', which is an algorithm of Python models alone'
    ) -%}
  {%- endif -%}
  {%- for option, now in removed.items() if option not in options and config.get(option) is not none -%}
    {%- do found.append("take out '" ~ option ~ "': " ~ now) -%}
  {%- endfor -%}
  {%- if found -%}
    {%- do deltawave._fail('removed', {'model': name, 'found': found | join('; ')}) -%}
  {%- endif -%}
{%- endmacro -%}
