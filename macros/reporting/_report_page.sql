{# A change log, one of its batches, a wave index or a Python model's stream as a page of HTML, in a file or printed. #}
{%- macro _report_page(model, output, batch=none) -%}
  {%- do deltawave._require_session('report', 'Without format: html it runs on every adapter.') -%}
  {%- set node = deltawave._model_node('report', model) -%}
  {%- if batch is not none and not deltawave._is_log(node) -%}
    {%- do deltawave._refuse_option('report', 'batch', batch, 'a batch of a change log') -%}
  {%- elif node.config.materialized == 'wave_index' -%}
    {%- set page = deltawave._wave_page(node, output) -%}
  {%- elif node.language == 'python' -%}
    {%- set page = deltawave._stream_page(node, output) -%}
  {%- else -%}
    {%- set page = deltawave._log_page(model, output, batch) -%}
  {%- endif -%}
  {%- if page.refused -%}
    {%- do deltawave._fail('not_reported', {'macro': 'report', 'model': model, 'reason': page.refused}) -%}
  {%- elif not page.text -%}
    {%- do deltawave._fail_without_batch('report', model, ref(node.package_name, node.name, v=node.version)) -%}
  {%- endif -%}
  {%- do print(page.text) -%}
{%- endmacro -%}

{# What the library makes of a change log: {text}, or why there is no page: {refused}; nothing without batches. #}
{%- macro _log_page(model, output, batch) -%}
  {%- set found = deltawave._built_log('report', model) -%}
  {%- set settings = found.settings -%}
  {%- set relations = {
    'log': found.log | string,
    'batches': '(\n' ~ deltawave.batches(found.relation, settings.state_schema) ~ '\n)',
  } -%}
  {%- set batches = deltawave._relation(found.schema, found.relation.identifier ~ '__batches') -%}
  {%- if deltawave._in_catalog(deltawave._quarantine_of(found.relation, found.schema, batches)) -%}
    {%- do relations.update(quarantine='(\n' ~ deltawave.quarantine(found.relation, settings.state_schema) ~ '\n)') -%}
  {%- endif -%}
  {%- set removals = deltawave._relation(found.schema, found.relation.identifier ~ '__removals') -%}
  {%- if deltawave._in_catalog(removals) -%}{%- do relations.update(removals=removals | string) -%}{%- endif -%}
  {{ return(adapter.call_library('deltawave.reporting.command.page', relations, {
    'name': found.relation | string | replace('`', ''), 'key': settings.unique_key,
    'is_multiset': settings.duplicate_keys == 'multiset', 'batch': batch, 'output': output,
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
  }, {'name': relation | string | replace('`', ''), 'record': wave, 'output': output})) }}
{%- endmacro -%}

{# The same of the stream that a Python model joins. Refuses one that has joined none. #}
{%- macro _stream_page(node, output) -%}
  {%- set relation = ref(node.package_name, node.name, v=node.version) -%}
  {%- set page = {} -%}
  {%- if deltawave._in_catalog(deltawave._relation(relation.schema, relation.identifier)) -%}
    {%- do page.update(adapter.call_library('deltawave.reporting.command.stream_page', {'table': relation | string}, {
      'name': relation | string | replace('`', ''),
      'output': output,
    })) -%}
  {%- endif -%}
  {%- if not page.text and not page.refused -%}
    {%- do deltawave._fail('no_stream', {'macro': 'report', 'model': node.name}) -%}
  {%- endif -%}
  {{ return(page) }}
{%- endmacro -%}

{#
  The change log of a model that has been built: {relation, log (its quoted name), schema (of its helper relations),
  settings}. Refuses other models, for that macro.
#}
{%- macro _built_log(macro_name, model) -%}
  {%- set node = deltawave._log_node(macro_name, model) -%}
  {%- set settings = deltawave._differential_settings(node.name, node.config) -%}
  {%- set relation = ref(node.package_name, node.name, v=node.version) -%}
  {%- set log = deltawave._relation(relation.schema, relation.identifier) -%}
  {%- set schema = settings.state_schema or relation.schema -%}
  {%- if not deltawave._in_catalog(log)
      or not deltawave._in_catalog(deltawave._relation(schema, relation.identifier ~ '__batches')) -%}
    {%- do deltawave._fail_without_batch(macro_name, model, log) -%}
  {%- endif -%}
  {{ return({'relation': relation, 'log': log, 'schema': schema, 'settings': settings}) }}
{%- endmacro -%}

{#
  Stops since a model has no batch here: it was never run, or `dbt clone` has made a view over the model of another
  environment (see clone_log).
#}
{%- macro _fail_without_batch(macro_name, model, relation) -%}
  {%- set view = deltawave._relation(relation.schema, relation.identifier) -%}
  {%- set facts = deltawave._table_facts(run_query('describe extended ' ~ view).rows) if deltawave._in_catalog(view)
      else {} -%}
  {%- set clone = deltawave._whole_match('select \\* from (`.+`)', facts.get('View Text') or '') -%}
  {%- if clone -%}
    {%- do deltawave._fail('cloned_model', {
      'macro': macro_name, 'model': model, 'relation': view | string, 'other': clone.group(1),
    }) -%}
  {%- endif -%}
  {%- do deltawave._fail('no_batch', {'macro': macro_name, 'model': model}) -%}
{%- endmacro -%}

{# The node of a model that has a change log. Refuses other models, for that macro. #}
{%- macro _log_node(macro_name, model) -%}
  {%- set node = deltawave._model_node(macro_name, model) -%}
  {%- if not deltawave._is_log(node) -%}
    {%- do deltawave._fail('not_a_log', {
      'macro': macro_name, 'value': model, 'materialized': node.config.materialized,
    }) -%}
  {%- endif -%}
  {{ return(node) }}
{%- endmacro -%}

{# Stops where the adapter runs no Python. #}
{%- macro _require_session(macro_name, instead) -%}
  {%- if not deltawave._runs_python() -%}
    {%- do deltawave._fail('reader_adapter', {'macro': macro_name, 'instead': instead}) -%}
  {%- endif -%}
{%- endmacro -%}
