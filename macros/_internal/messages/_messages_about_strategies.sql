{# Messages about strategies, by what has to be corrected. #}
{%- macro _messages_about_strategies() -%}
{%- set texts -%}
{% raw %}
Configuration:
  overlap_type: >-
    {model}: overlap is {overlap!r}, and the column '{column}' (updated_at) is of type {type}. Give a span like '2
    hours' for times, a whole number for a counter.
  future_warning: >-
    {model}, batch {batch}: {count} row(s) have a timestamp ({column}) more than a day ahead of this run's clock. They
    are compared in every run until their time has come. Correct it at the source, or set future_timestamp: accept.
  future_counter: >-
    {model}: future_timestamp: fail needs times, and the column '{column}' (updated_at) is of type {type}: a counter has
    no clock to be ahead of. Remove the option.
  unselected: >-
    {model}, batch {batch}: all rows were compared, and {count} row(s) of the previous state are no longer in the
    select. strategy: {strategy} does not see deletes: the rows stay in the log. To have them deleted, run once with
    strategy: outer_join.
  cut_key: >-
    {model}: {setting} is TIMESTAMP_MILLIS, so that Spark writes the key column '{column}' without its microseconds, and
    would not find its rows again. Take TIMESTAMP_MICROS, or strategy: outer_join.
  range_key_type: >-
    {model}: the key column '{column}' is of type {type}, which strategy: {strategy} cannot cut into ranges; it has to
    be a whole number, decimal, text, date, timestamp or boolean. Cast it in the model's select, or take another
    strategy.
  python_columns: >-
    {model}, batch {batch}: the changes that {function} returned have no column(s) {columns}. Nothing was changed. The
    function has to return them, with the names and types that it is given.
  python_measures: >-
    {model}, batch {batch}: {function} returned the figure(s) {names} beside the rows. Nothing was changed. Let it
    return the rows alone.
  python_types: >-
    {model}, batch {batch}: the changes that {function} returned have column(s) of another type: {columns}. Nothing was
    changed. The function has to return them with the types that it is given.
  slice_columns: >-
    {model}: only one of the select and the previous state has the column(s) {columns}. strategy: {strategy} reads a
    part of the table, so it cannot fill a new column. Run once with strategy: outer_join, which follows
    on_schema_change.
  row_id_uncompared: >-
    {model}: 'row_id' names '{column}', which is not compared exactly because of compare_columns, ignore_columns or
    tolerance. Rows whose key has changed could not be found by it. Compare it, or remove row_id.
Data:
  null_flag: >-
    {model}, batch {batch}: delete_flag ({flag}) is null in {count} row(s). Nothing was changed. Say what null means:
    coalesce(is_gone, false), or not department <=> 7 instead of department <> 7.
  clock_back: >-
    {model}, batch {batch}: the newest row that was read before had {column} {was}, and no row is that recent now
    (newest: {is}). A clock was set back, a backup was restored, or the newest rows were removed. Nothing was changed.
    To compare all rows once, run with --vars '{deltawave_accept: [{model}]}'.
  empty_dump: >-
    {model}, batch {batch}: the dump is empty (the last one had {rows_old} rows). Nothing was changed. If that is right,
    run once with --vars '{deltawave_accept: [{model}]}', or set allow_empty: true.
  null_timestamp: >-
    {model}, batch {batch}: {count} row(s) have no timestamp ({column}). Nothing was changed. Fill it at the source, or
    set null_timestamp: insert, which compares such rows in every run.
  future_timestamp: >-
    {model}, batch {batch}: {count} row(s) have a timestamp ({column}) more than a day ahead of this run's clock.
    Nothing was changed. Correct it at the source, or set future_timestamp: warn, which compares such rows in every run
    until their time has come.
State:
  ranges_changed: >-
    {model}, batch {batch}: {ranges}, the table of key ranges, differs from what the last batch wrote. Rows could be
    missed, or look deleted. Nothing was changed. Restore it, or drop it: the next run then creates the ranges again.
{% endraw %}
{%- endset -%}
{{ return(fromyaml(texts)) }}
{%- endmacro -%}
