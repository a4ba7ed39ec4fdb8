{#
  Prints a change log: its batches with their counts (backfilled and quarantined rows where there are any), and some updates, each old value with the
  new one.

    dbt run-operation report --args '{model: accounts_changes}'

  samples: how many updates of each batch are shown, rarely changing columns first; 0 for none
  batches: how many of the last batches are shown
#}
{%- macro report(model, samples=3, batches=10) -%}
  {{ return(adapter.dispatch('report', 'deltawave')(model, samples, batches)) }}
{%- endmacro -%}

{%- macro default__report(model, samples, batches) -%}
  {%- if not execute -%}{{ return(none) }}{%- endif -%}
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
