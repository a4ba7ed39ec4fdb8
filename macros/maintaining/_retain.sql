{#
  retain: after its batches, a run lets those that are older than the span expire, and drops at once what that
  supersedes. By the data's clock the span ends with the last batch's _batch_at, by the machine's when the run started.
  Batches that a reader has still to read stay (see _first_unread). Returns the record that counts from now on.
#}
{%- macro _retain(job, record) -%}
  {%- set work = deltawave._operation(job, record, 'expire') -%}
  {%- set until = deltawave._expired_by_age(work) -%}
  {{ return(deltawave._expire_for_good(work, until) if until else record) }}
{%- endmacro -%}

{# The last batch that is older than the span and that all readers have read; none if nothing expires. #}
{%- macro _expired_by_age(work) -%}
  {%- set job, record = work.job, work.record -%}
  {%- set oldest = deltawave._oldest_within(job.settings.retain, record.batch_at) -%}
  {%- if record.is_baseline -%}{{ return(none) }}{%- endif -%}
  {%- set old = namespace(batches=deltawave._batches_before(deltawave._held_batches(work), oldest)) -%}
  {%- set unread = deltawave._first_unread(graph.nodes[model.unique_id], old.batches) if old.batches | length > 1
      else none -%}
  {%- if unread -%}
    {%- do log(
      'deltawave: ' ~ job.name ~ ': batches from ' ~ unread.batch_id ~ ' on do not expire yet: ' ~ unread.by
        ~ ' has not read them', info=true
    ) -%}
    {%- set old.batches = old.batches | selectattr('batch_id', 'lt', unread.batch_id) | list -%}
  {%- endif -%}
  {%- set until = old.batches | last -%}
  {{ return(until if until and until.batch_id != record.first_batch else none) }}
{%- endmacro -%}
