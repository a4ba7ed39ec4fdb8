{# Messages about strategy: view, by what has to be corrected. #}
{%- macro _messages_about_views() -%}
{%- set texts -%}
{% raw %}
Configuration:
  relation_unknown: >-
    {model}: relations names '{relation}', but there is no change log (a differential model) of this name. There are:
    {known}.
  relation_unread: >-
    {model}: relations names '{relation}', but the select does not read it, so dbt does not build it first. Read it with
    ref('{name}'), or write -- depends_on: {{ ref('{name}') }} above the select. Do not list a log that the select reads
    only through another log.
  relation_left_out: >-
    {model}: the select reads the change log '{name}', directly or through other models, but relations does not map it:
    its changes would be missed. Map it in relations; or, if what the select reads of it never changes, name it in
    constant_relations.
  relation_without_log: >-
    {model}: the select reads the {kind} '{name}', directly or through other models, but no change log records its
    changes: they would be missed. Build a change log of it, let the select read that, and map it in relations; or, if
    its rows never change, name it in constant_relations.
  constant_unread: >-
    {model}: constant_relations names '{name}', but the select reads nothing of that name. List names of models, seeds
    and snapshots, and of sources as source.table.
  relation_multiset: >-
    {model}: '{relation}', which relations names, is a log with duplicate_keys: multiset, which does not show which rows
    of the view a change affects. Use strategy: outer_join.
  relation_column: "{model}: '{relation}' has no column '{column}', which relations maps. It has: {columns}."
  relation_before: >-
    {model}: '{relation}' does not keep the value of '{column}' before an update or delete, so rows of the view that had
    the old value could not be found. Set before_image: auto there (with row_checksum: initial_load: inserts, too),
    build it, and run once with --vars '{deltawave_accept: [{model}]}'; or map only columns of its key.
  relation_uncompared: >-
    {model}: '{relation}' does not compare '{column}' exactly (its own compare_columns, ignore_columns, tolerance or
    updated_at), so its log lacks some previous values, and rows of the view that had them could not be found. Nothing
    was changed. Compare it there, or map another column.
  anchor_key: >-
    {model}: relations maps {relation}, the root, to the column '{column}', which is not in unique_key. Choose as root
    the relation that the others are joined to, and include its key in unique_key.
  mapped_uncompared: >-
    {model}: relations maps {relation} to the column '{column}', which is not compared exactly because of
    compare_columns, ignore_columns or tolerance, so its values cannot identify rows. Compare it, or map another column.
Data:
  null_anchor: >-
    {model}, batch {batch}: {count} row(s) of the view have null in {columns}, to which relations maps '{relation}', the
    root. Nothing was changed. Set root to the relation that the others are joined to, by left or inner joins.
State:
  relation_stale: >-
    {model}, batch {batch}: the select reads {names}, which store rows and were not built in this run, although a change
    log has a new batch or their code was edited. They may be out of date, and the change would be missed. Nothing was
    changed. Build all together: dbt {command} --select {selected}. If they are up to date, run once with --vars
    '{deltawave_accept: [{model}]}', which compares the whole view.
  relation_without_batch: >-
    {model}: '{relation}', which relations names, has not been built. Build it first: dbt run --select +{model}.
  relation_behind: >-
    {model}: the log of '{relation}' no longer has the changes after batch {last_read}, the last one that this model read (it
    now has batches {first} to {last}): it was rewound, expired or rebuilt. Nothing was changed. To compare the whole
    view once, run with --vars '{deltawave_accept: [{model}]}'.
Usage:
  relation_deferred: >-
    {model}, batch {batch}: with --defer the select reads {names} of another environment, whose changes are not in the
    logs of this one. Nothing was changed. Run without --defer, or build all of it here: dbt build --select {selected}.
{% endraw %}
{%- endset -%}
{{ return(fromyaml(texts)) }}
{%- endmacro -%}
