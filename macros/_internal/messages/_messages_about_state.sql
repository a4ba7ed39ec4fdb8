{# Messages about what a model keeps between runs, and commits, by what has to be corrected. #}
{%- macro _messages_about_state() -%}
{%- set texts -%}
{% raw %}
Configuration:
  file_format_changed: >-
    {model}: the log was created with file_format: {was}, but the option is now {is}. Restore the option, or build a new
    model.
  multiset_changed: >-
    {model}: the log was created {was} duplicate_keys: multiset, but the option is now '{is}'. Restore the option, or
    build a new model.
  snapshot_order_changed: >-
    {model}: the dumps of the log were ordered by {was}, and the model now orders them by {is} (snapshot_order). Restore
    the option, or build a new model: a log cannot change how its dumps are ordered.
  snapshot_date_changed: >-
    {model}: the log was created {was} snapshot_date, but the model is now configured {is} it. Restore the option: a log
    cannot change how its dumps are dated.
  unique_key_changed: >-
    {model}: unique_key was ({was}) and is ({is}) now; a log can't change its key. Restore it, or build a new model.
  not_refreshed: >-
    {model}: --full-refresh did not rebuild this model, which continues from batch {batch}: the dumps of its batches may
    no longer exist. What reads it can be rebuilt from it. Set full_refresh: true in the model's config to rebuild it
    too, or false to continue without this warning.
State:
  lost_the_batch: >-
    {model}, batch {batch}: another run (attempt {winner}) has decided this batch first; this run (attempt {attempt})
    has changed nothing. Run again to compare with the new state.
  decided_too_late: >-
    {model}, batch {batch}: other runs have decided this batch and continued to batch {last}; this run (attempt
    {attempt}) has changed nothing. Run again to compare with the new state.
  overtaken: >-
    {model}: batch {batch} was finished by another run, which has continued to batch {last}. Nothing is lost; run again
    to continue from there.
  lost_state: >-
    {model}: {batches} has batches, but the record of the last commit is missing (a view {model}__commit_<batch>).
    Restore that view; a new log over an old one would lose changes.
  lost_helpers: >-
    {model}: {relation} shows a log up to batch {batch}, but {schema} has no record of the last commit (a view
    {model}__commit_<batch>). If state_schema was changed, change it back; otherwise restore that view. A new log over
    an old one would lose changes.
  lost_copy: >-
    {model}: {copy}, the previous state that the next batch is compared with, is missing. Restore it, or undo the last
    batches with deltawave.rewind, which restores it from the log, or rebuild the log: set full_refresh: true and run
    once with --full-refresh.
  files_alone: >-
    {model}: the log began with initial_load: baseline, and its last batch, of an earlier version, kept nothing but a
    list of files: the rows that the log lacks are in these files alone, which are compared no more. Rebuild the log,
    which then does not show what has changed since: set full_refresh: true and run once with --full-refresh.
  checksums_alone: >-
    {model}: the log began with initial_load: baseline and its last batch kept only {kind} of rows, so the rows
    themselves are not known. It can only continue with strategy: {strategies} and its previous {options}, and with the
    version that computed them. Restore these, or rebuild the log: set full_refresh: true and run once with
    --full-refresh.
  tolerance_alone: >-
    {model}: the log began with initial_load: baseline, so {strategy} can't compare within a tolerance: the previous
    values are not in the log. Take tolerance out of the model.
  shared_state: >-
    {model}: the helper relations in {schema} belong to {owner}, but this run builds {relation}: both would continue the
    same log. Nothing was changed. Give each target its own state_schema, like state_schema: "{{ target.schema
    }}_state". If the model has moved, drop the view {owner}: this model then continues its log.
  state_version: >-
    {model}: its state has format {version}, and this version of deltawave knows format {known}. Nothing was changed.
    Use the version that wrote it, or build a new model.
  foreign_relation: >-
    {model}: {relation} exists, but deltawave did not create it ({type}). It was not touched. Rename it, or give the
    model another alias. If it is a view that dbt clone made, drop it: the next run builds {model} here.
  materialization_changed: >-
    {model}: {relation} was built by another of the materializations differential, wave_index, current_state and scd2,
    whose state this one can't continue. Nothing was changed. Drop it and its helper relations, or give the model
    another alias.
  log_rewritten: >-
    {model}, batch {batch}: {log} was rewound, expired, compacted or rebuilt while it was read. Nothing was changed. Run
    again.
{% endraw %}
{%- endset -%}
{{ return(fromyaml(texts)) }}
{%- endmacro -%}
