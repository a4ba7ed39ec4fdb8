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
  {%- set dropped = deltawave._drop_superseded(work.job, work.record) -%}
  {%- do log('deltawave: ' ~ work.job.name ~ ': dropped ' ~ (dropped | join(', ') or 'nothing'), info=true) -%}
{%- endmacro -%}

{#
  Drops the logs, the quarantined rows, and the partitions of the log that a record does not name. Returns the names of
  the tables.
#}
{%- macro _drop_superseded(job, record) -%}
  {%- set prefix = job.target.identifier | lower ~ '__' -%}
  {%- set dropped = [] -%}
  {%- for name in deltawave._names_like(job, job.target.identifier ~ '__*') -%}
    {%- set found = deltawave._whole_match(
      modules.re.escape(prefix) ~ '((?:log|quarantine)(?:_(\\d+)(?:_[0-9a-f]{12})?)?)', name | lower
    ) -%}
    {#- A log with a later number belongs to a run in progress. -#}
    {%- if found and found.group(1) not in deltawave._rewritten_tables(record)
        and (found.group(2) or 1) | int <= record.batch_id -%}
      {%- do deltawave._drop_table(job, deltawave._helper_relation(job, found.group(1))) -%}
      {%- do dropped.append(name) -%}
    {%- endif -%}
  {%- endfor -%}
  {%- set kept = {'batch_id': record.batch_id + 1, 'partitions': deltawave._keys_of(record.partitions)} -%}
  {%- do deltawave._drop_merged(job, record.log, kept) -%}
  {{ return(dropped) }}
{%- endmacro -%}
