{#
  The change log that a model follows: the only relation that its select reads. Batches of it are applied one after the other, so that rows of anything
  else would be those of different times.
#}
{%- macro _followed_node(node, settings) -%}
  {%- set read = node.depends_on.nodes | unique | list -%}
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
