{#
  The rows quarantined under duplicate_keys: quarantine, all rows of a key that has several in a dump: the dump's
  columns, _batch_id and _batch_at.

  log: the model; state_schema: the schema of its helper relations, if it is not the model's.
#}
{%- macro quarantine(log, state_schema=none) -%}
  {%- if not execute -%}{{ return('') }}{%- endif -%}
  {%- set schema = state_schema or log.schema -%}
  {%- set batches = deltawave._relation(schema, log.identifier ~ '__batches') -%}
  {%- set table = deltawave._quarantine_of(log, schema, batches) -%}
  {%- set names = deltawave._columns_of(table) | map(attribute='name') | reject('in', ['batch_at', 'batch_id', 'attempt']) | list -%}
select
    {{ deltawave._quoted_list(names, 'quarantined') | join(',\n    ') }},
    quarantined.batch_id as `_batch_id`,
    quarantined.batch_at as `_batch_at`
from {{ table }} as quarantined
left semi join {{ deltawave._standing_batches(batches) }} as decided
    on quarantined.batch_id = decided.batch_id and quarantined.attempt = decided.attempt
-- Rows of an attempt that failed get a negative number before they are dropped.
where quarantined.batch_id > 0
{%- endmacro -%}

{# The table of a log's quarantined rows: that of the last erasure which was decided, or the first one. #}
{%- macro _quarantine_of(log, schema, batches) -%}
  {%- set first = log.identifier ~ '__quarantine' -%}
  {%- set later = [] -%}
  {%- for name in deltawave._names_in(schema, first ~ '_*') -%}
    {%- set found = deltawave._whole_match(modules.re.escape(first | lower) ~ '_(\\d+)_([0-9a-f]{12})', name | lower) -%}
    {%- if found -%}
      {%- do later.append({'name': name, 'batch_id': found.group(1) | int, 'attempt': found.group(2)}) -%}
    {%- endif -%}
  {%- endfor -%}
  {%- for table in later | sort(attribute='batch_id', reverse=true) -%}
    {%- set decided = 'select 1 from ' ~ batches ~ ' where batch_id = ' ~ table.batch_id ~ ' and attempt = '
        ~ deltawave._literal(table.attempt) -%}
    {%- if run_query(decided).rows -%}{{ return(deltawave._relation(schema, table.name)) }}{%- endif -%}
  {%- endfor -%}
  {{ return(deltawave._relation(schema, first)) }}
{%- endmacro -%}
