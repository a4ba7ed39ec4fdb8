{#
  The change log that a model follows: the only relation that its select reads. Batches of it are applied one after the other, so that rows of anything
  else would be those of different times.
#}
{%- macro _followed_node(node, settings) -%}
  {%- set read = deltawave._read_by_select(node) -%}
  {%- set parent = graph.nodes.get(read[0]) if read | length == 1 else none -%}
  {%- if not parent or not deltawave._is_log(parent) -%}
    {%- do deltawave._fail('follower_select', {
      'model': node.name, 'materialized': settings.kind, 'read': read | join(', ') or 'no model',
    }) -%}
  {%- endif -%}
  {%- set logged = deltawave._differential_settings(parent.name, parent.config) -%}
  {%- set keys = settings.unique_key or logged.unique_key -%}
  {%- if keys | map('lower') | sort != logged.unique_key | map('lower') | sort -%}
    {%- do deltawave._fail('option_value', {
      'model': node.name, 'option': 'unique_key', 'value': keys, 'allowed': 'the key of ' ~ parent.name ~ ': ' ~ logged.unique_key | join(', '),
    }) -%}
  {%- endif -%}
  {%- if settings.kind == 'scd2' and logged.duplicate_keys == 'multiset' -%}
    {%- do deltawave._fail('scd2_multiset', {'model': node.name, 'log': parent.name}) -%}
  {%- endif -%}
  {{ return(parent) }}
{%- endmacro -%}

{#
  The nodes that the select reads. dbt lists with them those that hooks read, which the text names in its config at most, and functions, which have no rows.
#}
{%- macro _read_by_select(node) -%}
  {%- set hooks = (node.config.get('pre-hook') or []) + (node.config.get('post-hook') or []) -%}
  {%- set in_hooks = hooks | map(attribute='sql') | join('\n') -%}
  {%- set strings = '"(?:[^"\\\\]|\\\\.)*"|\'(?:[^\'\\\\]|\\\\.)*\'' -%}
  {%- set text = modules.re.sub('(?s)\\{\\{-?\\s*config\\((?:' ~ strings ~ '|[^"\'])*?\\)\\s*-?\\}\\}', '', node.raw_code or '') -%}
  {%- set read = [] -%}
  {%- for unique_id in node.depends_on.nodes | unique -%}
    {%- set parent = graph.nodes.get(unique_id) or (graph.sources or {}).get(unique_id) -%}
    {%- set name = '\\b' ~ modules.re.escape(parent.name if parent else '') ~ '\\b' -%}
    {%- if parent and (modules.re.search(name, text) or not modules.re.search(name, in_hooks)) -%}
      {%- do read.append(unique_id) -%}
    {%- endif -%}
  {%- endfor -%}
  {{ return(read) }}
{%- endmacro -%}
