{#
  Prints a change log: its batches with their counts (backfilled and quarantined rows where there are any), and some
  updates, each old value with the new one. Of one batch, and as a page, also the columns that change most and the
  values in which changes concentrate.

    dbt run-operation report --args '{model: accounts_changes}' dbt run-operation report --args '{model:
    accounts_changes, batch: 3}' dbt run-operation report --args '{model: accounts_changes, format: html, output:
    accounts.html}'

  samples: how many updates of each batch are shown, rarely changing columns first; 0 for none
  batches: how many of the last batches are shown
  format: text or html, a page, for which samples and batches mean nothing; output: a file that the page is written to
  batch: only what this batch has changed
#}
{%- macro report(model, samples=3, batches=10, format='text', output=none, batch=none) -%}
  {%- if not execute -%}{{ return(none) }}{%- endif -%}
  {%- do deltawave._require_choice('report', 'format', format, ['text', 'html']) -%}
  {%- if output and format == 'text' -%}
    {%- do deltawave._refuse_option('report', 'output', output, 'a file with format: html only') -%}
  {%- endif -%}
  {%- if batch is not none and batch is not integer -%}
    {%- do deltawave._refuse_option('report', 'batch', batch, 'the number of a batch') -%}
  {%- endif -%}
  {%- if format == 'html' -%}{{ return(deltawave._report_page(model, output, batch)) }}{%- endif -%}
  {%- set reported = deltawave._reported_log(model) -%}
  {%- set counts = deltawave._reported_counts(reported, batches, batch) -%}
  {%- if batch is not none and not counts -%}
    {%- do deltawave._fail('unchanged_batch', {'macro': 'report', 'model': model, 'batch': batch}) -%}
  {%- endif -%}
  {%- set lines = ['', 'What changed in ' ~ reported.relation.render() | replace('`', ''), ''] -%}
  {%- if counts -%}
    {%- do lines.extend(deltawave._counts_lines(reported, counts)) -%}
    {%- do lines.extend(deltawave._bytes_line(reported, counts)) -%}
    {%- if batch is not none -%}{%- do lines.extend(deltawave._batch_lines(reported, batch)) -%}{%- endif -%}
    {%- do lines.extend(deltawave._sample_lines(reported, counts, samples)) -%}
  {%- else -%}
    {%- do lines.append('  no batch yet') -%}
  {%- endif -%}
  {%- do print(lines | join('\n') ~ '\n') -%}
{%- endmacro -%}

{# Which columns a batch has changed most, and where its changes concentrate. #}
{%- macro _batch_lines(reported, batch) -%}
  {%- if not deltawave._runs_python() -%}
    {{ return(['', '  The columns that change most, and where changes concentrate, are found in Python: they need type: deltawave with method: session.']) }}
  {%- endif -%}
  {{ return(adapter.call_library('deltawave.reporting.command.batch_lines', {'log': reported.relation | string}, {
    'key': reported['keys'] | map(attribute='name') | list,
    'batch': batch,
    'is_multiset': reported.is_multiset,
    'knows_rows': reported.knows_rows,
  })) }}
{%- endmacro -%}

{#
  What the report needs to know about a log: {relation, batches (its table of batches, or none), keys (columns of the
  key), columns that have a before image, knows_rows, is_multiset}. A model with the columns of a log is one, too,
  whatever its materialization.
#}
{%- macro _reported_log(model) -%}
  {%- set node = deltawave._model_node('report', model) -%}
  {%- set relation = ref(node.package_name, node.name, v=node.version) -%}
  {%- if not deltawave._in_catalog(deltawave._relation(relation.schema, relation.identifier)) -%}
    {%- do deltawave._fail('no_batch', {'macro': 'report', 'model': model}) -%}
  {%- endif -%}
  {%- set columns = deltawave._columns_of(relation) -%}
  {%- set types = deltawave._types_of(columns) -%}
  {%- if ['_change_type', '_changed_columns', '_before', '_batch_id', '_batch_at'] | reject('in', types) | list -%}
    {%- do deltawave._fail('not_a_log', {
      'macro': 'report', 'value': model, 'materialized': node.config.materialized,
    }) -%}
  {%- endif -%}
  {%- set settings = deltawave._differential_settings(node.name, node.config) -%}
  {%- set names = deltawave._data_columns(relation, columns, 'report') -%}
  {%- set keys, valued = [], [] -%}
  {%- for name in settings.unique_key -%}
    {%- do keys.append({'name': name, 'data_type': types[name | lower]}) -%}
  {%- endfor -%}
  {%- for column in columns if column.name in names
      and column.name | lower not in settings.unique_key | map('lower') -%}
    {%- do valued.append(column) -%}
  {%- endfor -%}
  {%- set batches = deltawave._relation(settings.state_schema or relation.schema, relation.identifier ~ '__batches') -%}
  {%- set has_batches = deltawave._in_catalog(batches) -%}
  {{ return({
    'relation': relation, 'batches': batches if has_batches else none, 'keys': keys,
    'columns': valued if types['_before'] != 'struct<>' else [], 'is_multiset': settings.duplicate_keys == 'multiset',
    'knows_rows': not deltawave._began_with_baseline(batches) if has_batches else settings.initial_load == 'inserts',
  }) }}
{%- endmacro -%}

{#
  Are the rows of the first dump missing in a log? Its last load, which begins a generation, has then logged no rows:
  initial_load may have been changed since. Where the table was emptied and loaded again, the log has all rows.
#}
{%- macro _began_with_baseline(batches) -%}
  {%- set sql -%}
select rows_new > 0 and inserts = 0
from {{ deltawave._standing_batches(batches) }}
where rows_old = 0 and strategy not in ('{{ deltawave._operations() | join("', '") }}')
order by batch_id desc
limit 1
  {%- endset -%}
  {%- set rows = run_query(sql).rows -%}
  {{ return(rows | length > 0 and rows[0][0] | string | lower == 'true') }}
{%- endmacro -%}
