{#
  retain: after its batches, a run lets those that are older than the span expire, and drops at once what that
  supersedes. By the data's clock the span ends with the last batch's _batch_at, by the machine's when the run started.
  Batches that a table which follows the log has not read stay until it has. Returns the record that counts from now on.
#}
{%- macro _retain(job, record) -%}
  {%- set work = deltawave._operation(job, record, 'expire') -%}
  {%- set until = deltawave._expired_by_age(work) -%}
  {{ return(deltawave._expire_for_good(work, until) if until else record) }}
{%- endmacro -%}

{# The last batch that is older than the span and that all followers have read; none if nothing expires. #}
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

{# The first of some batches that a table which follows the log has still to read: {batch_id, by}; none if all are read. #}
{%- macro _first_unread(log, batches) -%}
  {%- set first = namespace(found=none) -%}
  {%- for name, read in deltawave._read_by_followers(log).items() -%}
    {%- set unread = batches | selectattr('batch_id', 'gt', read) | selectattr('changes') | list -%}
    {%- if unread and (not first.found or unread[0].batch_id < first.found.batch_id) -%}
      {%- set first.found = {'batch_id': unread[0].batch_id, 'by': name} -%}
    {%- endif -%}
  {%- endfor -%}
  {{ return(first.found) }}
{%- endmacro -%}

{# The last batch that each table which follows a log has read: {name: batch_id}. #}
{%- macro _read_by_followers(log) -%}
  {%- set read = {} -%}
  {%- for follower in deltawave._jobs_of_followers(log) -%}
    {#- What another materialization has made under its name has read nothing. -#}
    {%- set view = deltawave._mark_in(deltawave._facts_of(follower, follower.target).get('View Text') or '') -%}
    {%- if view.batch_id -%}
      {%- do read.update({follower.name: deltawave._read_commit(follower, view.batch_id).followed.batch_id}) -%}
    {%- endif -%}
  {%- endfor -%}
  {{ return(read) }}
{%- endmacro -%}
