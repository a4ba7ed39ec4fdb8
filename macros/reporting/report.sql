{#
  Prints a change log: its batches with their counts (backfilled and quarantined rows where there are any), and some updates, each old value with the
  new one. As a page, also the columns that change most and the values in which changes concentrate.

    dbt run-operation report --args '{model: accounts_changes}'
    dbt run-operation report --args '{model: accounts_changes, format: html, output: accounts.html}'

  samples: how many updates of each batch are shown, rarely changing columns first; 0 for none
  batches: how many of the last batches are shown
  format: text or html, a page about all batches, for which samples and batches mean nothing; output: a file that the page is written to
#}
{%- macro report(model, samples=3, batches=10, format='text', output=none) -%}
  {{ return(adapter.dispatch('report', 'deltawave')(model, samples, batches, format, output)) }}
{%- endmacro -%}

{%- macro default__report(model, samples, batches, format, output) -%}
  {%- if not execute -%}{{ return(none) }}{%- endif -%}
  {%- if format not in ['text', 'html'] -%}
    {%- do deltawave._fail('option_value', {'model': 'report', 'option': 'format', 'value': format, 'allowed': 'text or html'}) -%}
  {%- endif -%}
  {%- if output and format == 'text' -%}
    {%- do deltawave._fail('option_value', {'model': 'report', 'option': 'output', 'value': output, 'allowed': 'a file with format: html only'}) -%}
  {%- endif -%}
  {%- if format == 'html' -%}
    {{ return(deltawave._report_page(model, output)) }}
  {%- endif -%}
  {%- set reported = deltawave._reported_log(model) -%}
  {%- set counts = deltawave._reported_counts(reported, batches) -%}
  {%- set lines = ['', 'What changed in ' ~ reported.relation.render() | replace('`', ''), ''] -%}
  {%- if counts -%}
    {%- do lines.extend(deltawave._counts_lines(reported, counts)) -%}
    {%- do lines.extend(deltawave._sample_lines(reported, counts, samples)) -%}
  {%- else -%}
    {%- do lines.append('  no batch yet') -%}
  {%- endif -%}
  {%- do print(lines | join('\n') ~ '\n') -%}
{%- endmacro -%}

{# What the report needs to know about a log: {relation, batches (its table of batches, or none), keys, columns that have a before image, knows_rows}. #}
{%- macro _reported_log(model) -%}
  {%- set node = deltawave._model_node('report', model) -%}
  {%- set relation = ref(node.package_name, node.name) -%}
  {%- set settings = deltawave._differential_settings(node.name, node.config) -%}
  {%- set keys = settings.unique_key | map('lower') | list -%}

  {%- set columns = deltawave._columns_of(relation) -%}
  {%- set before = columns | selectattr('name', 'equalto', '_before') | map(attribute='data_type') | first -%}
  {%- set valued = [] -%}
  {%- for column in columns if before != 'struct<>' and not column.name.startswith('_') and column.name | lower not in keys -%}
    {%- do valued.append(column) -%}
  {%- endfor -%}
  {%- set batches = deltawave._relation(settings.state_schema or relation.schema, relation.identifier ~ '__batches') -%}
  {{ return({
    'relation': relation,
    'batches': batches if deltawave._in_catalog(batches) else none,
    'keys': settings.unique_key,
    'columns': valued,
    'knows_rows': settings.initial_load == 'inserts',
  }) }}
{%- endmacro -%}
