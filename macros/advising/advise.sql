{#
  Prints which strategy of the differential materialization fits a source, and why: what each would read and write, by
  the cost model of CH98 and by what was measured, and what each needs that the source may not have.

    dbt run-operation deltawave.advise --args '{model: legacy.accounts, is_remote: true, is_clustered: true}'

  model: a model, seed, snapshot or `source.table`; if it exists, its rows are counted and measured rows, row_bytes,
  key_bytes: sizes, instead of measured ones; by default 1,000,000 rows of 200 bytes with a key of 8
  compared_fraction: share of a row's bytes that is compared, without the key, 0 to 1
  change_fraction: share of the rows that changes from run to run, 0 to 1
  schema_can_change: columns may be added to the source, and its application can set them
  has_timestamps: each row has a timestamp that every change of it sets
  flags_deletes: rows are not deleted but flagged
  has_deletes: rows are deleted or flagged
  is_remote: the source is another database, so rows cross a network; true for a model with `remote`
  can_be_locked: the source may be read whole while it is in use
  is_clustered: changed rows lie together in a part of the key's range, for instance because keys grow with time
  snapshot_date: the column with a dump's date, if the source keeps dumps of several dates: the newest is counted, and
  only strategies for whole dumps can be used; that of a model, or the only partition column of type date of an
  external source, is known
  is_join: the model is a join of relations that have change logs; relations: how many
#}
{%- macro advise(
    model=none, rows=none, row_bytes=none, key_bytes=none, compared_fraction=1, change_fraction=0.01,
    schema_can_change=false, has_timestamps=false, flags_deletes=false, has_deletes=true, is_remote=false,
    can_be_locked=true, is_clustered=false, is_join=false, relations=2, snapshot_date=none
) -%}
  {%- if not execute -%}{{ return(none) }}{%- endif -%}
  {%- set table = deltawave._described_table(model, {
    'rows': rows, 'row_bytes': row_bytes, 'key_bytes': key_bytes, 'compared_fraction': compared_fraction,
    'change_fraction': change_fraction, 'schema_can_change': schema_can_change, 'has_timestamps': has_timestamps,
    'flags_deletes': flags_deletes, 'has_deletes': has_deletes, 'is_remote': is_remote, 'can_be_locked': can_be_locked,
    'is_clustered': is_clustered, 'is_join': is_join, 'relations': relations,
  }, snapshot_date) -%}
  {%- set weighed = deltawave._weighed_strategies(table) -%}
  {%- set choice = deltawave._best_strategy(table, weighed) -%}
  {%- do print(deltawave._advice_lines(table, weighed, choice) | join('\n') ~ '\n') -%}
{%- endmacro -%}
