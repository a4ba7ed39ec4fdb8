{# Messages about dumps, by what has to be corrected. #}
{%- macro _messages_about_dumps() -%}
{%- set texts -%}
{% raw %}
Configuration:
  missing_option_column: "{model}: the select has no column '{column}', which {option} names. It has: {columns}."
  reserved_column: >-
    {model}: the column '{column}' has a name that the change log reserves. Rename it in the model's select.
  ambiguous_column: >-
    {model}: the select has more than one column '{column}' (case does not distinguish names). Give each its own name.
  key_type: >-
    {model}: the key column '{column}' is of type {type}, which can't be compared as a key. Choose another unique_key,
    or cast it in the model's select.
  key_collation: >-
    {model}: the key column '{column}' is of type {type}, in which different texts can be equal. Cast it in the model's
    select, like collate({column}, 'UTF8_BINARY'); if the log already has this key, build a new model.
  tolerance_type: >-
    {model}: the column '{column}', which tolerance names, is of type {type}, which is not a number. Take it out of
    tolerance, or cast it in the model's select.
  name_in_before: >-
    {model}: the name of column '{column}' contains one of ` , : < >, which a view in Iceberg's session catalog can't
    have within _before. Nothing was changed. Rename it in the model's select, or set before_image: none.
  iceberg_variant: >-
    {model}: the column '{column}' is a variant or contains one, which a table in Iceberg's session catalog can't hold.
    Nothing was changed. Write it as JSON in the model's select, like to_json({column}).
  column_type: >-
    {model}: the column '{column}' is of type {type}, which a table cannot keep. Cast it in the model's select, like
    cast({column} as string).
  quarantined: >-
    {model}, batch {batch}: {count} key(s) ({keys}) occur more than once, for instance {examples}. Their {rows} rows
    were quarantined, and the log keeps the previous rows of these keys. Read them with
    deltawave.quarantine(ref('{model}')).
  quarantine_type: >-
    {model}, batch {batch}: {table}, the quarantine, has a column whose type differs from the dump's. Nothing was
    changed. Rename that table, or cast the column in the model's select.
  time_type: >-
    {model}: the column '{column}' (updated_at) is of type {type}; it has to be a timestamp, a date, or a whole number
    that grows. Cast it in the model's select.
  flag_type: >-
    {model}: delete_flag ({flag}) is of type {type}; it has to be boolean. Write a condition, like delete_flag: "{flag}
    = 'T'".
  undecoded: >-
    {model}, batch {batch}: rows of {count} key(s) have the character U+FFFD in a text (column '{column}'), which Spark
    reads in place of bytes that are no UTF-8: different texts would be equal. Nothing was changed. Declare the encoding
    of {sources} in the yml, like options: {encoding: ISO-8859-1}, and create the table again: dbt run-operation
    create_external_sources --args '{select: {source}}'. If the files themselves have this character, declare encoding:
    UTF-8.
  checksums_adapter: >-
    {model}: the files of source {source} have checksums ({checksums}), and this session can't compute them: that needs
    a profile of type: deltawave with method: session, and not Spark Connect. Nothing was changed. Take such a profile,
    or run with --vars '{deltawave_accept: [{model}]}', which does not compare them.
  contract: >-
    {model}, batch {batch}: the contract in its yml differs from the columns of the view:

    {differences}

    Nothing was changed. Correct these columns in the yml, or the model's select. All columns of the view, as it was
    last built, are printed by: dbt run-operation deltawave.contract --args '{model: {model}}'
  late_dates: >-
    {model}: skipped dump(s) of {dates}: they were delivered after the dump of {last} was compared (batch {batch}).
    {remedy}
  overdue_dump: >-
    {model}: the newest dump is that of {last}, which is {age} old (a day begins at midnight UTC), and warn_after is
    {limit}. See whether the source still delivers; a dump that comes later is compared by the next run.
  missing_dates: >-
    {model}: no dump has come between those of {gaps} (every: {every}). Later dumps are compared all the same. A missing
    dump that comes after that is skipped, until deltawave.rewind lets a run compare it. If warnings are errors in this
    run, nothing was changed: if no missing dump will come, run once with --vars '{deltawave_accept: [{model}]}', which
    does not warn of gaps.
  redelivered_dates: >-
    {model}: skipped dump(s) of {dates}: they were compared before, and were delivered again with other rows. The log
    keeps the earlier delivery ({batches}); with redelivery: replace, a run compares such dates again by itself.
    {remedy}
  snapshot_order_type: >-
    {model}: {column} (snapshot_date) is {type}; with snapshot_order: {order} it has to be {allowed}. Cast it in the
    model's select, or change snapshot_order.
  format_without_catalog: >-
    {model}: 'file_format' is {format}, and this session has no catalog for {format} tables. Nothing was changed. In the
    profile's server_side_parameters, set spark.sql.extensions and spark.sql.catalog.spark_catalog as {format} requires,
    and add its jar to spark.jars.packages; or use parquet.
  unread_dates: >-
    {model}: {source} has dump(s) of {dates}, of which the select returns no row; they were not compared. If that is
    intended, exclude these dates by a condition on {column} in the select.
  change_types: >-
    {model}, batch {batch}: {count} change(s) that {comparison} returned have another change_type than insert, delete
    and update. Nothing was changed. Correct the function.
  snapshot_date_type: >-
    {model}: {column} (snapshot_date) is {type}; it has to be a date, a timestamp, or text like 2026-01-31. Cast it in
    the model's select; if dumps are known by a number or text that is no date, set snapshot_order: number or text.
Data:
  erased_again: >-
    {model}, batch {batch}: the dump has {keys} key(s) that were erased on {date}. Nothing was changed. Have them
    deleted in the source, set erased: skip to leave them out of every dump, or take them back with --vars
    '{deltawave_take_back: [{model}]}'.
  null_key: >-
    {model}, batch {batch}: {count} row(s) have null in every column of the key ({keys}). Nothing was changed. Filter
    them in the model's select, or choose another unique_key.
  duplicate_key: >-
    {model}, batch {batch}: {count} key(s) ({keys}) occur more than once, for instance {examples}. Nothing was changed.
    Make the select return one row per key, or choose another unique_key{remedy}.
  quarantine_is_error: >-
    {model}, batch {batch}: {count} key(s) ({keys}) occur more than once, for instance {examples}. Nothing was changed:
    duplicate_keys: quarantine only warns of them, and in this run warnings are errors. Make the select return one row
    per key, or run without --warn-error.
  other_rows: >-
    {model}, batch {batch}: the dump has {rows} row(s), and expected_rows {source} {expected}. Is the dump complete?
    Nothing was changed. If it is right, run once with --vars '{deltawave_accept: [{model}]}', or correct the expected
    number.
  no_expected_rows: >-
    {model}, batch {batch}: the select of expected_rows returned {found}, not one whole number. Nothing was changed.
    Correct the select, or the table that it reads; or run once with --vars '{deltawave_accept: [{model}]}', which does
    not check the number of rows. The select is: {select}
  wrong_checksums: >-
    {model}, batch {batch}: files of source {source} do not match their checksums: {problems}. Nothing was changed.
    Deliver these files again, or correct their checksums; to compare the dump all the same, run once with --vars
    '{deltawave_accept: [{model}]}'.
  schema_changed: >-
    {model}: the columns of the dump have changed (added: {added}; dropped: {dropped}) and on_schema_change is
    '{on_schema_change}'.{hint} Set on_schema_change to append_new_columns or sync_all_columns, or select the previous
    columns.
  type_changed: "{model}: the column '{column}' was {was} and is {is} now. Cast it to {was} in the model's select."
  type_widened: >-
    {model}: the column '{column}' was {was} and is {is} now. Cast it to {was} in the model's select, or set
    on_schema_change: sync_all_columns, which widens number columns of the log.
  replaced_dates: >-
    {model}: dump(s) of {dates} were delivered again with other rows. redelivery: replace undoes their batches and all
    later ones, and the select no longer has dump(s) of {missing} to compare again. Nothing was changed. Deliver these
    again; or set redelivery: warn, which keeps the earlier delivery; or continue without them, so that the next date
    has their changes as well: {by_hand}.
  null_snapshot_date: "{model}: {count} row(s) have no {column} (snapshot_date). Filter them in the model's select."
  snapshot_date_value: >-
    {model}: {value!r} in {column} (snapshot_date) is neither a date nor a timestamp. Write it like 2026-01-31, or cast
    it in the model's select. If dumps are known by a text that is no date, set snapshot_order: text.
  too_many_deletes: >-
    {model}, batch {batch}: {count} of {rows_old} rows ({percent}%) would be deleted, more than max_delete_fraction
    {limit} allows. Is the dump complete? Nothing was changed. If it is right, run once with --vars '{deltawave_accept:
    [{model}]}', or raise max_delete_fraction.
  too_many_deletes_in_rotation: >-
    {model}, batch {batch}: {count} of {rows_old} rows ({percent}%) would be deleted in one cycle through the ranges,
    {earlier} of them by earlier batches, more than max_delete_fraction {limit} allows. Is the source complete? Nothing
    was changed. If it is right, run once with --vars '{deltawave_accept: [{model}]}', which accepts each range once, or
    raise max_delete_fraction.
  too_many_inserts: >-
    {model}, batch {batch}: {count} row(s) would be inserted into {rows_old} ({percent}%), more than max_insert_fraction
    {limit} allows. Does the dump have rows of another source, or keys in another form? Nothing was changed. If it is
    right, run once with --vars '{deltawave_accept: [{model}]}', or raise max_insert_fraction.
  too_many_inserts_in_rotation: >-
    {model}, batch {batch}: {count} row(s) would be inserted into {rows_old} ({percent}%) in one cycle through the
    ranges, {earlier} of them by earlier batches, more than max_insert_fraction {limit} allows. Does the source have
    rows of another one, or keys in another form? Nothing was changed. If it is right, run once with --vars
    '{deltawave_accept: [{model}]}', which accepts each range once, or raise max_insert_fraction.
  too_many_updates: >-
    {model}, batch {batch}: {count} of {rows_old} rows ({percent}%) would be updated, more than max_update_fraction
    {limit} allows. Does the source write a column in another form? Nothing was changed. If it is right, run once with
    --vars '{deltawave_accept: [{model}]}', or raise max_update_fraction; a column whose changes do not matter belongs
    in ignore_columns.
  too_many_updates_in_rotation: >-
    {model}, batch {batch}: {count} of {rows_old} rows ({percent}%) would be updated in one cycle through the ranges,
    {earlier} of them by earlier batches, more than max_update_fraction {limit} allows. Does the source write a column
    in another form? Nothing was changed. If it is right, run once with --vars '{deltawave_accept: [{model}]}', which
    accepts each range once, or raise max_update_fraction; a column whose changes do not matter belongs in
    ignore_columns.
State:
  changed_copy: >-
    {model}: {copy}, the previous state that the next batch is compared with, has {is} row(s), but had {was} when it was
    written: another program changed it. Restore it, or undo the last batches with deltawave.rewind, which restores it
    from the log, or rebuild the log: set full_refresh: true and run once with --full-refresh.
Usage:
  clone_over_log: >-
    {model}: {relation} was built in this environment, and dbt clone --full-refresh would hide its rows behind those of
    another. Nothing was changed. Leave it out (--exclude {model}), or clone into another schema.
  sample: >-
    {model}: --sample would compare a part of a dump and report the rest as deleted. Nothing was changed. Run without
    it, or with --empty.
  not_a_log: >-
    {macro}: {value!r} is no change log, but of materialized: {materialized}. It takes the name of a model of
    materialized: differential.
  adopt: >-
    {model}: its log can't begin with the snapshot {snapshot} (deltawave_adopt): {problem}. Nothing was changed.
    {remedy}.
  adopt_value: >-
    {model}: deltawave_adopt can't be {value!r}; it takes change logs with the snapshots that they begin with, like
    --vars '{deltawave_adopt: {orders_changes: orders_snapshot}}'; with snapshot_date {snapshot: orders_snapshot,
    snapshot_date: 2026-01-31} in place of orders_snapshot.
  adopt_model: >-
    {model}: deltawave_adopt names {name!r}, but there is no change log of this name. Nothing was changed. Correct the
    name.
  full_refresh: >-
    {model}: --full-refresh would start a new log, and the dumps of its {batch} batch(es) may no longer exist. Nothing
    was changed. Set full_refresh: true in the model's config to allow it, or false to ignore the flag; or rebuild only
    what reads it, with --exclude {model}.
{% endraw %}
{%- endset -%}
{{ return(fromyaml(texts)) }}
{%- endmacro -%}
