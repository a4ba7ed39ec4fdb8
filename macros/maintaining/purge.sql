{#
  Drops the logs that a full refresh, a rewind, an expiry, a compaction or a wider column has superseded, and
  partitions that were merged. Until then queries that started before can read them, and an operation can be undone.

    dbt run-operation deltawave.purge --args '{model: accounts_changes}'
#}
{%- macro purge(model) -%}
  {{ return(adapter.dispatch('purge', 'deltawave')(model)) }}
{%- endmacro -%}

{%- macro default__purge(model) -%}
  {%- if not execute -%}{{ return(none) }}{%- endif -%}
  {%- set work = deltawave._open_maintenance('purge', model) -%}
  {%- set prefix = work.job.target.identifier | lower ~ '__' -%}
  {%- set dropped = [] -%}
  {%- for name in deltawave._names_like(work.job, work.job.target.identifier ~ '__log*') -%}
    {%- set found = deltawave._whole_match(
      modules.re.escape(prefix) ~ '(log(?:_(\\d+)(?:_[0-9a-f]{12})?)?)', name | lower
    ) -%}
    {#- A log with a later number belongs to a run in progress. -#}
    {%- if found and found.group(1) != work.record.log and (found.group(2) or 1) | int <= work.record.batch_id -%}
      {%- do deltawave._drop_table(work.job, deltawave._helper_relation(work.job, found.group(1))) -%}
      {%- do dropped.append(name) -%}
    {%- endif -%}
  {%- endfor -%}
  {%- set kept = {'batch_id': work.record.batch_id + 1, 'partitions': deltawave._keys_of(work.record.partitions)} -%}
  {%- if work.record.merge -%}{%- do deltawave._drop_merged(work.job, work.record.log, kept) -%}{%- endif -%}
  {%- do log('deltawave: ' ~ work.job.name ~ ': dropped ' ~ (dropped | join(', ') or 'nothing'), info=true) -%}
{%- endmacro -%}
