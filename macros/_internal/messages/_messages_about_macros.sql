{# Messages about arguments of macros, by what has to be corrected. #}
{%- macro _messages_about_macros() -%}
{%- set texts -%}
{% raw %}
Configuration:
  other_readers: >-
    {model}: other models were made of these rows, and still have them. Rebuild them: dbt run --full-refresh --select
    {readers}. From wave indices and joined streams that have the same key, --also MODEL erases.
  other_logs: >-
    {model}: {logs} may have these rows too, and can't be rebuilt. Erase them there before the next run: from a change
    log by deltawave erase, or by --also MODEL if it has the same key; from a snapshot by a statement of yours.
  readers_of_undone: >-
    {model}: incremental models have rows of the undone batches. Once {model} has run, rebuild them: dbt run
    --full-refresh --select {readers}
  compare_adapter: >-
    {macro}: the comparison runs in Python, and needs a profile of type: deltawave with method: session; the adapter of
    this profile runs no Python. deltawave.diff gives the changes between two relations by SQL alone.
  reader_adapter: >-
    {macro}: it runs in Python, and needs a profile of type: deltawave with method: session; the adapter of this profile
    runs no Python. {instead}
Data:
  tables_differ: "{macro}: {a} and {b} differ, which is an error by fail_on_differences."
Usage:
  no_batch: "{macro}: {model} has no batch yet. Run the model first."
  cloned_model: >-
    {macro}: {relation} is a view of {other}, as dbt clone makes it, and the batches of {model} are in that environment.
    Take its target (--target), or drop the view and run {model} here.
  no_stream: >-
    {macro}: {model} is a Python model that has joined no stream yet (join_new_rows). It takes the name of a model that
    is a change log, a wave index or a stream.
  not_erased_along: >-
    erase: {others} can't be erased from along with {model}: they are no change log, wave index or joined stream that was
    made of it and has a key or columns {key}.
  unread_batches: >-
    {macro}: {follower} has not read the batches of {model} from {batch} on, and would lose their changes. Run it first,
    or expire them even so: even_unread: true, or --even-unread.
  unchanged_batch: "{macro}: batch {batch} of {model} has no changes, or there is no such batch."
  batch_range: "{macro}: to_batch can't be {value!r}; {model} has the batches {known}; take any but the last."
  instant_value: "{macro}: {option} can't be {value!r}; it takes a date or timestamp in UTC, like '2026-01-31'."
  one_of: "{macro}: give {one} or {other}, not both."
  no_such_column: "{macro}: {relation} has no column '{column}'. It has: {columns}."
  no_such_column_in_two: >-
    diff: neither {old} nor {new} has a column '{column}', which compare_columns, ignore_columns or tolerance names.
    Correct the name.
  unknown_columns: >-
    {macro}: the columns of {relation} are not known. Give a relation, like ref and source; for a CTE or a subquery,
    give columns= as well.
  filtered_source: >-
    {macro}: a 'where' in the config works on models, not on {relation}. Test a model that selects from it.
  untyped_column: >-
    {macro}: the type of column '{column}' is not known. Give relation=, or each column as {name: ..., data_type: ...}.
  existing_name: >-
    {macro}: '{column}' is already a column of the log; rename the new column with {macro}'s argument of that name.
  no_before: >-
    {macro}: {log} keeps no before images; set before_image: auto on its model; only later batches will have them.
  merge_multiset: >-
    {macro}: merge finds rows by their key, which may occur more than once with duplicate_keys: multiset. Use
    method='rebuild'.
  unknown_table: "{macro}: there is no model, seed, snapshot or source {value!r}. It takes a name, or source.table."
  not_in_warehouse: >-
    {macro}: {value} is not in the warehouse. It takes the name of a model, seed or snapshot that has been built, or
    source.table or schema.table.
  not_compared: "{macro}: {a} and {b} can't be compared. {reason}"
  not_reported: "{macro}: the page about {model} can't be made. {reason}"
  history_key: >-
    {macro}: 'key' can't be {value!r}; it takes the key's columns with their values, for instance {account_id: 5}.
  subquery_of_subject: "{macro}: where takes a condition on the key's columns, without a subquery."
  one_subject: "{macro}: give keys (values of {keys}) or where, a condition on them."
  history_of_key: "{macro}: '{column}' is part of the key, whose values never change."
  key_parts: "{macro}: the key of {model} is {keys}; {wrong}."
  unquoted_key: "{macro}: the column '{column}' has texts: put its value in quotes, since YAML changes 0123."
  key_value: "{macro}: the column '{column}' is of type {type}, and {value!r} is no such value."
  unknown_model: "{macro}: there is no model {value!r}. It takes the name of a model that is a change log."
  ambiguous_name: "{macro}: several packages have {value!r}. Take one of {names}."
  no_view: >-
    {macro}: {relation} does not exist yet, so its columns are not known. Build {model} first. With dbt run --empty
    --select {model} it has no rows and no batch, and its contract is not checked.
  baseline_log: >-
    {macro}: the log of {model} began with initial_load: baseline, so it lacks the rows of its first dump, and the state
    at a batch cannot be rebuilt from it. Nothing was changed. To have all its rows in the log, build it again from the
    dumps that the source has now: set initial_load: inserts and full_refresh: true, and run once with --full-refresh.
{% endraw %}
{%- endset -%}
{{ return(fromyaml(texts)) }}
{%- endmacro -%}
