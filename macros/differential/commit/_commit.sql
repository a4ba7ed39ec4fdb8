{#
  From written to visible: decides the batch, then brings everything up to the decision. Until it is published, readers
  see the batches before it, since the view names the partitions that count. `last`: the decision before.
#}
{%- macro _commit(job, batch, record, last) -%}
  {%- do deltawave._step(job, batch, 'decide') -%}
  {%- do deltawave._decide(job, batch, record) -%}
  {%- do deltawave._step(job, batch, 'place') -%}
  {%- do deltawave._place(job, record) -%}
  {%- do deltawave._step(job, batch, 'record') -%}
  {%- do deltawave._record_batch(job, record) -%}
  {%- do deltawave._step(job, batch, 'publish') -%}
  {%- do deltawave._refuse_overtaken(job, record, deltawave._last_commit(job)) -%}
  {%- set shown = deltawave._publish(job, record) -%}
  {%- do deltawave._refuse_overtaken(job, record, shown.batch_id) -%}
  {%- do deltawave._step(job, batch, 'clean') -%}
  {%- do deltawave._clean(job, shown.names, batch, last, record) -%}
  {%- do deltawave._step(job, batch, 'end') -%}
{%- endmacro -%}

{#
  The decision: one plain `create view`, at which the catalog lets exactly one writer succeed. The view's only row is
  the record of the batch. "if not exists" lets the loser read the winner's record and name it in the error.
#}
{%- macro _decide(job, batch, record) -%}
  {%- set commit = deltawave._commit_relation(job, batch.batch_id) -%}
  {%- do deltawave._run(
    job, 'create view if not exists ' ~ commit ~ ' as select ' ~ deltawave._literal(tojson(record)) ~ ' as record'
  ) -%}
  {%- set decided = deltawave._read_commit(job, batch.batch_id) -%}
  {%- if decided.attempt != batch.attempt -%}
    {%- do deltawave._refuse(job, batch, 'lost_the_batch', {'winner': decided.attempt, 'attempt': batch.attempt}) -%}
  {%- endif -%}
  {#-
    The newest decision always stays, but older ones are dropped, so a late writer may find that its number has no
    decision.
  -#}
  {%- set last = deltawave._last_commit(job) -%}
  {%- if last > batch.batch_id -%}
    {#- Or others have finished this very batch, which they recorded, and continued. -#}
    {%- if deltawave._is_decided(job, batch.batch_id, batch.attempt) -%}
      {%- do deltawave._fail('overtaken', {'model': job.name, 'batch': batch.batch_id, 'last': last}) -%}
    {%- endif -%}
    {%- do deltawave._run(job, 'drop view if exists ' ~ commit) -%}
    {%- do deltawave._refuse(job, batch, 'decided_too_late', {'last': last, 'attempt': batch.attempt}) -%}
  {%- endif -%}
{%- endmacro -%}

{# The number of the newest decision; 0 before the first one. #}
{%- macro _last_commit(job) -%}
  {{ return(
    (deltawave._commit_numbers(job, deltawave._names_like(job, job.target.identifier ~ '__commit_*')) + [0]) | max
  ) }}
{%- endmacro -%}

{# The record of a decision, from the text of its view. #}
{%- macro _read_commit(job, batch_id) -%}
  {%- set commit = deltawave._commit_relation(job, batch_id) -%}
  {%- set facts = deltawave._facts_of(job, commit) -%}
  {%- set found = deltawave._json_in(facts.get('View Text'), 'record') -%}
  {%- if not found -%}
    {%- do deltawave._fail('foreign_relation', {
      'model': job.name, 'relation': commit | string, 'type': facts.get('Type', 'relation') | lower,
    }) -%}
  {%- endif -%}
  {{ return(fromjson(found)) }}
{%- endmacro -%}

{#
  Drops what the decision of `record` made superfluous: tables that neither it nor the next batch reads, what is
  remembered of sources, and the older decision.
#}
{%- macro _clean(job, names, batch, last, record) -%}
  {%- for side in deltawave._attempts_helpers(job, names, deltawave._attempt_kinds()) -%}
    {#- Leave tables of other attempts: from their names the next run knows that it has to drop their log rows too. -#}
    {%- if (deltawave._is_own(batch, side) or last and deltawave._is_needed(last, side))
        and not deltawave._is_needed(record, side) -%}
      {%- do deltawave._drop_table(job, deltawave._attempt_relation(job, side)) -%}
    {%- endif -%}
  {%- endfor -%}
  {%- for seen in deltawave._seen_relations(job, names) -%}
    {%- do deltawave._run(job, 'drop view if exists ' ~ seen) -%}
  {%- endfor -%}
  {%- if last -%}
    {%- do deltawave._run(job, 'drop view if exists ' ~ deltawave._commit_relation(job, last.batch_id)) -%}
  {%- endif -%}
  {%- if last and last.merge and last.log == record.log and last.merge != record.merge -%}
    {%- do deltawave._drop_merged(job, record.log, last.merge, is_postponable=true) -%}
  {%- endif -%}
{%- endmacro -%}

{# Does the next batch, or a reader, need that table? #}
{%- macro _is_needed(record, side) -%}
  {%- for table in record.tables -%}
    {%- if (table.kind, table.batch_id, table.attempt) == (side.kind, side.batch_id, side.attempt) -%}
      {{ return(true) }}
    {%- endif -%}
  {%- endfor -%}
  {{ return(false) }}
{%- endmacro -%}

{# Logs the name of the next step. Dispatched, so that a project can watch (or, in a test, stop) a batch at any step. #}
{%- macro _step(job, batch, name) -%}
  {%- if adapter.begin_step is defined -%}{%- do adapter.begin_step(name) -%}{%- endif -%}
  {{ return(adapter.dispatch('_step', 'deltawave')(job, batch, name)) }}
{%- endmacro -%}

{%- macro default___step(job, batch, name) -%}
  {%- do log('deltawave: ' ~ job.name ~ ': batch ' ~ batch.batch_id ~ ': ' ~ name) -%}
{%- endmacro -%}

{# The relations among these names that remember sources (see _remember_source), since any batch or the given one. #}
{%- macro _seen_relations(job, names, batch_id='\\d+') -%}
  {%- set relations = [] -%}
  {%- for name in names -%}
    {%- set found = deltawave._whole_match(
      modules.re.escape(job.target.identifier | lower) ~ '__(seen_' ~ batch_id ~ '_[0-9a-f]{32})', name | lower
    ) -%}
    {%- if found -%}{%- do relations.append(deltawave._helper_relation(job, found.group(1))) -%}{%- endif -%}
  {%- endfor -%}
  {{ return(relations) }}
{%- endmacro -%}

{%- macro _seen_relation(job, batch_id, source) -%}
  {{ return(deltawave._helper_relation(job, 'seen_' ~ batch_id ~ '_' ~ source)) }}
{%- endmacro -%}
