{# Stops with the message of that name. #}
{%- macro _fail(code, values) -%}
  {%- do exceptions.raise_compiler_error(deltawave._message(code, values)) -%}
{%- endmacro -%}

{# Every message of the package: what was wrong, where, and what to do. #}
{%- macro _message(code, values) -%}
  {%- set messages = {
    'required': "{model}: '{option}' is required, for instance {option}: {example}.",
    'option_value': "{model}: '{option}' can't be {value!r}; it takes {allowed}.",
    'unknown_option': "{model}: meta.deltawave has no option '{option}'; known are {known}.",
    'compare_and_ignore': "{model}: 'compare_columns' and 'ignore_columns' can't both be given; keep one of them.",
    'missing_column': "{model}: the select has no column '{column}', which unique_key or snapshot_date names. It has: {columns}.",
    'missing_option_column': "{model}: the select has no column '{column}', which {option} names. It has: {columns}.",
    'reserved_column': "{model}: the column '{column}' has a name that the change log needs for itself. Give it another name in the model's select.",
    'ambiguous_column': "{model}: the select has more than one column '{column}' (names are the same but for case). Give each its own name.",
    'key_type': "{model}: the key column '{column}' is a {type}, which can't be compared as a key. Choose another unique_key, or cast it in the model's select.",
    'column_type': "{model}: the column '{column}' is of type {type}, which a table can't keep. Cast it in the model's select, like cast({column} as string).",
    'null_key': "{model}, batch {batch}: {count} row(s) have null in all of the key ({keys}). Nothing was changed. Filter them in the model's select, or choose another unique_key.",
    'duplicate_key': "{model}, batch {batch}: {count} key(s) ({keys}) stand more than once, for instance {examples}. Nothing was changed. Make the select one row a key, or choose another unique_key.",
    'empty_dump': "{model}, batch {batch}: the dump is empty (the last one had {rows_old} rows). Nothing was changed. If that is right, run once with --vars '{{deltawave_accept: [{model}]}}', or set allow_empty: true.",
    'too_many_deletes': "{model}, batch {batch}: {deletes} of {rows_old} rows ({percent}%) would be deleted, more than max_delete_fraction {limit} allows: a partial dump? Nothing was changed. If it is right, run once with --vars '{{deltawave_accept: [{model}]}}', or raise max_delete_fraction.",
    'lost_the_batch': "{model}, batch {batch}: another run (attempt {winner}) has decided this batch first; this run (attempt {attempt}) has changed nothing. Run again to compare with what stands now.",
    'overtaken': "{model}: batch {batch} was finished by another run, which has gone on to batch {last}. Nothing is lost; run again to go on from there.",
    'schema_changed': "{model}: the columns of the dump have changed (added: {added}; dropped: {dropped}) and on_schema_change is '{on_schema_change}'. Set on_schema_change to append_new_columns or sync_all_columns, or select the former columns.",
    'type_changed': "{model}: the column '{column}' was {was} and is {is} now. Cast it to {was} in the model's select.",
    'late_dates': "{model}: skipped dump(s) of {dates}: they came after the dump of {last} was compared. To take them in, undo the later batches first.",
    'redelivered_dates': "{model}: skipped dump(s) of {dates}: they were compared before, with another number of rows. To take them in, undo those batches first.",
    'null_snapshot_date': "{model}: {count} row(s) have no {column} (snapshot_date). Filter them in the model's select.",
    'snapshot_date_value': "{model}: {value!r} in {column} (snapshot_date) is neither a date nor a time-stamp.",
    'snapshot_date_type': "{model}: {column} (snapshot_date) is {type}; it has to be a date, a time-stamp, or text like 2026-01-31.",
    'snapshot_date_changed': "{model}: the log was begun {was} snapshot_date and the model is now configured {is} it. Put the option back; a log keeps to one way of dating.",
    'lost_state': "{model}: {batches} holds batches, but no record of the last decision is there (a view {model}__commit_<batch>). Restore that view; a new log over an old one would lose changes.",
    'lost_copy': "{model}: {copy}, the kept side of the last batch, is gone. Restore it, or begin a new generation: full_refresh: true in the config and --full-refresh once.",
    'state_version': "{model}: its state has format {version}, and this version of deltawave knows format {known}. Use the version that wrote it, or a newer one.",
    'unique_key_changed': "{model}: unique_key was ({was}) and is ({is}) now; a log can't change its key. Put it back, or build a new model beside this one.",
    'foreign_relation': "{model}: {relation} exists and is a {type} that deltawave did not make. It was not touched. Rename it, or give the model another alias.",
    'full_refresh': "{model}: --full-refresh would begin a new log, and the dumps behind its {batch} batch(es) may be gone. Nothing was changed. Set full_refresh: true in the model's config to allow it, or false to have the flag ignored.",
    'data_type': "{value!r} is not a data type that deltawave can read; it stops before {rest!r}. Give the type as Spark's describe shows it.",
    'no_such_column': "{macro}: {relation} has no column '{column}'. It has: {columns}.",
    'unknown_columns': "{macro}: the columns of {relation} are not known. Give a relation, as ref and source do; or columns= too, for a CTE or a subquery.",
    'filtered_source': "{macro}: a 'where' in the config works on models, not on {relation}. Test a model that selects from it.",
    'untyped_column': "{macro}: the type of column '{column}' is not known. Give relation=, or each column as {{name: ..., data_type: ...}}.",
    'taken_name': "{macro}: '{column}' is a column of the log already; give the new column another name with {macro}'s argument of that name.",
    'no_before': "{macro}: {log} keeps no before images; set before_image: auto on its model, for the batches to come.",
    'sample': "{model}: --sample would compare a part of a dump and report the rest as deleted. Nothing was changed. Run without it, or with --empty.",
    'unknown_source': "{macro}: no source with an external block is called {value!r}; known are: {known}.",
    'unknown_external_option': "source {source}: 'external' has no option '{option}'; known are {known}.",
    'external_format': "source {source}: 'external.file_format' can't be {value!r}; it takes {allowed}.",
    'external_options': "source {source}: 'external.options' can't be {value!r}; it takes a mapping like {{header: true}}.",
    'external_without_columns': "source {source}: no columns are listed in its yml, so no table can be made over its files. List each column with its data_type.",
    'external_column_type': "source {source}: the column '{column}' has no data_type in the yml. Give it one: the table over the files is made of them.",
    'external_without_partitions': "source {source}: {location} holds no folder {folder}. Put the dumps into such folders, or take 'partitions' out of its external block.",
    'external_foreign_relation': "source {source}: {relation} exists, and create_external_sources did not make it. It was not touched. Rename it, or give the source another schema or identifier.",
    'unknown_model': "{macro}: no model is called {value!r}. It takes the name of a model that is a change log.",
  } -%}
  {{ return(messages[code].format(**values)) }}
{%- endmacro -%}
