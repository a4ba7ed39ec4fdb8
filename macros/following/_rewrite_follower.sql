{#
  Writes a table that follows a log again, without the rows that are erased or older than `retain`, as a batch of its
  own. What it has read of the log stays. condition: of the rows that stay. keeps_previous: whether queries on the table
  before can still end. Returns the record.
#}
{%- macro _rewrite_follower(job, last, operation, reason, condition, rows_new, keeps_previous=false) -%}
  {%- set table = deltawave._attempt_relation(job, last.rows) -%}
  {%- set batch = deltawave._attempt(job, last, operation) -%}
  {%- set rows = deltawave._own_table(batch, 'rows') -%}
  {%- set columns = deltawave._columns_of_follower(job, last.columns) -%}
  {%- set select -%}
select
    {{ deltawave._quoted_list(columns | map(attribute='name')) | join(',\n    ') }}
from {{ table }}
where {{ condition }}{{ ' and `_applied` is null' if deltawave._is_merged(last.file_format) }}
  {%- endset -%}
  {%- do job.settings.update(file_format=last.file_format) -%}
  {%- do deltawave._create_rows(job, batch, rows, last, select) -%}
  {%- set decision = deltawave._decision(job, batch, {
    'tables': [rows] + ([last.rows] if keeps_previous else []), 'strategy': operation, 'reason': reason,
    'batch_at': last.batch_at, 'snapshot_date': last.snapshot_date, 'rows_old': last.rows_new, 'rows_new': rows_new,
  }) -%}
  {%- set record = dict(last, rows=rows, patch=none, **decision) -%}
  {%- do deltawave._commit(job, batch, record, last) -%}
  {{ return(record) }}
{%- endmacro -%}

{#
  retain: lets the versions go that ended longer ago than the span, if there are any. The table before stays for queries
  that read it, until the next run. Returns the record that counts from now on.
#}
{%- macro _retain_versions(job, last) -%}
  {%- if not last or not last.rows or not job.settings.retain -%}{{ return(last) }}{%- endif -%}
  {%- set table = deltawave._attempt_relation(job, last.rows) -%}
  {%- do deltawave._refresh(job, last.file_format, [table]) -%}
  {%- set oldest = deltawave._timestamp(deltawave._oldest_within(job.settings.retain, last.batch_at)) -%}
  {%- set expired = deltawave._row_count(job, '(select 1 from ' ~ table ~ ' where `_valid_to` < ' ~ oldest ~ ')') -%}
  {%- if not expired -%}{{ return(last) }}{%- endif -%}
  {%- set reason = 'expired ' ~ deltawave._count(expired, 'version', 'versions') -%}
  {%- do log('deltawave: ' ~ job.name ~ ': ' ~ reason, info=true) -%}
  {{ return(deltawave._rewrite_follower(
    job, last, 'expire', reason, 'coalesce(`_valid_to` >= ' ~ oldest ~ ', true)', last.rows_new, keeps_previous=true
  )) }}
{%- endmacro -%}
