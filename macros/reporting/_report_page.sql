{# A change log or a wave index as one page of HTML: written to a file, or printed. #}
{%- macro _report_page(model, output) -%}
  {%- do deltawave._require_session('report', 'Without format: html it runs on every adapter.') -%}
  {%- set node = deltawave._model_node('report', model) -%}
  {%- if node.config.materialized == 'wave_index' -%}
    {%- set page = deltawave._wave_page(node, output) -%}
  {%- else -%}
    {%- set page = deltawave._log_page(model, output) -%}
  {%- endif -%}
  {%- if page.refused -%}
    {%- do deltawave._fail('not_reported', {'macro': 'report', 'model': model, 'reason': page.refused}) -%}
  {%- elif not page.text -%}
    {%- do deltawave._fail('no_batch', {'macro': 'report', 'model': model}) -%}
  {%- endif -%}
  {%- do print(page.text) -%}
{%- endmacro -%}

{# What the library makes of a change log: {text}, or why there is no page: {refused}; nothing without batches. #}
{%- macro _log_page(model, output) -%}
  {%- set found = deltawave._built_log('report', model) -%}
  {%- set settings = found.settings -%}
  {%- set relations = {
    'log': found.log | string,
    'batches': '(\n' ~ deltawave.batches(found.relation, settings.state_schema) ~ '\n)',
  } -%}
  {%- if deltawave._in_catalog(deltawave._relation(found.schema, found.relation.identifier ~ '__quarantine')) -%}
    {%- do relations.update(quarantine='(\n' ~ deltawave.quarantine(found.relation, settings.state_schema) ~ '\n)') -%}
  {%- endif -%}
  {{ return(adapter.call_library('deltawave.reporting.command.page', relations, {
    'name': found.relation | string | replace('`', ''),
    'key': settings.unique_key,
    'is_multiset': settings.duplicate_keys == 'multiset',
    'output': output,
  })) }}
{%- endmacro -%}

{# The same of a wave index. #}
{%- macro _wave_page(node, output) -%}
  {%- set settings = deltawave._wave_settings(node.name, node.config) -%}
  {%- set relation = ref(node.package_name, node.name, v=node.version) -%}
  {%- set batches = deltawave._relation(settings.state_schema or relation.schema, relation.identifier ~ '__batches') -%}
  {%- set wave = deltawave._wave_of(relation) if deltawave._in_catalog(batches) else none -%}
  {%- if not wave -%}{{ return({}) }}{%- endif -%}
  {{ return(adapter.call_library('deltawave.reporting.command.wave_page', {
    'batches': '(\n' ~ deltawave.batches(relation, settings.state_schema) ~ '\n)',
  }, {
    'name': relation | string | replace('`', ''),
    'record': wave,
    'output': output,
  })) }}
{%- endmacro -%}

{#
  The change log of a model that has been built: {relation, log (its quoted name), schema (of its helper relations), settings}. Refuses other models, for
  that macro.
#}
{%- macro _built_log(macro_name, model) -%}
  {%- set node = deltawave._log_node(macro_name, model) -%}
  {%- set settings = deltawave._differential_settings(node.name, node.config) -%}
  {%- set relation = ref(node.package_name, node.name, v=node.version) -%}
  {%- set log = deltawave._relation(relation.schema, relation.identifier) -%}
  {%- set schema = settings.state_schema or relation.schema -%}
  {%- if not deltawave._in_catalog(log) or not deltawave._in_catalog(deltawave._relation(schema, relation.identifier ~ '__batches')) -%}
    {%- do deltawave._fail('no_batch', {'macro': macro_name, 'model': model}) -%}
  {%- endif -%}
  {{ return({'relation': relation, 'log': log, 'schema': schema, 'settings': settings}) }}
{%- endmacro -%}

{# The node of a model that has a change log. Refuses other models, for that macro. #}
{%- macro _log_node(macro_name, model) -%}
  {%- set node = deltawave._model_node(macro_name, model) -%}
  {%- if not deltawave._is_log(node) -%}
    {%- do deltawave._fail('not_a_log', {'macro': macro_name, 'value': model, 'materialized': node.config.materialized}) -%}
  {%- endif -%}
  {{ return(node) }}
{%- endmacro -%}

{# Stops where the adapter runs no Python. #}
{%- macro _require_session(macro_name, instead) -%}
  {%- if not deltawave._runs_python() -%}
    {%- do deltawave._fail('reader_adapter', {'macro': macro_name, 'instead': instead}) -%}
  {%- endif -%}
{%- endmacro -%}
