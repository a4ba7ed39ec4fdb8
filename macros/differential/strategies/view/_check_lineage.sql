{#
  Refuses what would make a view miss changes: a relation that the select does not read, a change log that it reads and
  `relations` leaves out, and rows that come from no log. dbt's graph shows it, so the adapter checks before any
  statement runs.
#}
{%- macro _check_lineage(model_name, settings, node) -%}
  {%- set constants = settings.constant_relations -%}
  {%- set lineage = deltawave._lineage(node, constants) -%}
  {%- set mapped = [] -%}
  {%- for name in settings.relations -%}
    {%- do mapped.append(deltawave._joined_node(model_name, node, lineage, name).unique_id) -%}
  {%- endfor -%}
  {%- for unique_id in lineage.logs | sort if unique_id not in mapped -%}
    {%- do deltawave._fail('relation_left_out', {'model': model_name, 'name': graph.nodes[unique_id].name}) -%}
  {%- endfor -%}
  {%- for unique_id in lineage.leaves | sort -%}
    {%- set leaf = graph.nodes.get(unique_id) or graph.sources[unique_id] -%}
    {#- dbt has a checksum of a seed's rows; that of a large seed is only its path. -#}
    {%- if leaf.resource_type != 'seed' or leaf.checksum.name == 'path' -%}
      {%- do deltawave._fail('relation_without_log', {
        'model': model_name, 'kind': leaf.resource_type, 'name': deltawave._names_of(leaf)[0],
      }) -%}
    {%- endif -%}
  {%- endfor -%}
  {%- set declared = [] -%}
  {%- for unique_id in lineage.constants -%}
    {%- do declared.extend(deltawave._names_of(graph.nodes.get(unique_id) or graph.sources[unique_id])) -%}
  {%- endfor -%}
  {%- for name in constants if name not in declared -%}
    {%- do deltawave._fail('constant_unread', {'model': model_name, 'name': name}) -%}
  {%- endfor -%}
{%- endmacro -%}

{# The change log that a name in `relations` (name or package.name) stands for, and that the select reads. #}
{%- macro _joined_node(model_name, node, lineage, name) -%}
  {%- set logs, named = [], [] -%}
  {%- for log in graph.nodes.values() if deltawave._is_log(log) -%}
    {%- do logs.append(log.name) -%}
    {%- if name in deltawave._names_of(log) -%}{%- do named.append(log) -%}{%- endif -%}
  {%- endfor -%}
  {%- if not named -%}
    {%- set known = logs | reject('equalto', model_name) | unique | sort | join(', ') -%}
    {%- do deltawave._fail('relation_unknown', {'model': model_name, 'relation': name, 'known': known or 'none'}) -%}
  {%- endif -%}
  {%- set read = named | selectattr('unique_id', 'in', lineage.logs) | list -%}
  {%- if not read -%}
    {%- do deltawave._fail('relation_unread', {'model': model_name, 'relation': name, 'name': named[0].name}) -%}
  {%- endif -%}
  {%- set own = read | selectattr('package_name', 'equalto', node.package_name) | list -%}
  {{ return((own or read)[0]) }}
{%- endmacro -%}
