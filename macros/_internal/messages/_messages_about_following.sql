{# Messages about tables that follow a log, by what has to be corrected. #}
{%- macro _messages_about_following() -%}
{%- set texts -%}
{% raw %}
Configuration:
  data_type: >-
    {value!r} is not a data type that deltawave can read; it stops at {rest!r}. Write the type as Spark's describe shows
    it.
  follower_select: >-
    {model}: materialized: {materialized} follows one change log, so its select has to read one model of materialized:
    differential and nothing else. It reads {read}. Join and filter in a model that reads this one.
  filtered_changes: >-
    {model}, batch {batch}: the select returns {selected} row(s) of {logged} new one(s) of {log}, and has to return each
    once: with a filter, the table would keep a row that no longer passes it. Nothing was changed. Filter and join in a
    model that reads this one.
  scd2_multiset: >-
    {model}: {log} is a log with duplicate_keys: multiset, whose rows have no key by which versions could be told apart.
    Use materialized: current_state.
  snapshot_option: "{model}: '{option}' is not read by materialized: {kind}. Use '{instead}' instead."
  snapshot_strategy: >-
    {model}: 'strategy: {strategy}' is not read by materialized: scd2, nor is 'updated_at'. The change log finds the
    changes, and its _batch_at are the times of the versions. Take them out.
  meta_column: >-
    {model}: '{column}' is already a column of the select, so {meta} needs another name. Give it one:
    snapshot_meta_column_names: {{meta}: ...}.
  missing_log_column: >-
    {model}: the select has no column '{column}', which it needs of its change log. Write select * from {{ ref('{log}')
    }}, or add the column.
  column_of_bag: >-
    {model}: {log} is a log with duplicate_keys: multiset, whose rows are known by their values alone, before and after
    an update, and '{column}' is no column of it. Rename and compute columns in a model that reads this one.
  tracked_column: >-
    {model}: track_columns names '{column}', which is no column of {log}. A renamed or computed column can't be tracked;
    track the column that it is made from. {log} has: {columns}.
State:
  log_not_built: >-
    {model}: the change log {log} has no batch here. Nothing was changed. Build it first: dbt run --select +{model}
  versions_lost: >-
    {model}: {reason}, so the table would have to be rebuilt from {log}, which no longer has all batches that it was
    built from (its first is {first} now). Versions that only the table has would be lost. Nothing was changed. Undo an
    edit; or set full_refresh: true and run once with --full-refresh, which builds it from what the log has.
Usage:
  follower_sample: >-
    {model}: --sample would leave out changes, and the table would never get them. Nothing was changed. Run without it,
    or with --empty.
  follower_deferred: >-
    {model}: with --defer and --favor-state the select reads the log {log} of another environment, whose batches the
    table does not have. Nothing was changed. Select {log} as well, or run without --favor-state.
{% endraw %}
{%- endset -%}
{{ return(fromyaml(texts)) }}
{%- endmacro -%}
