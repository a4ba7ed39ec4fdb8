{#
  Those of the models `also` that are change logs which were made of a log, directly or through other models, and have a
  key of the same columns: [{node, work}]. One that begins with a baseline can't be erased from.
#}
{%- macro _logs_after(log, work, also) -%}
  {%- set key = deltawave._key_of(work) -%}
  {%- set logs = [] -%}
  {%- for node in deltawave._nodes_after(log.unique_id, ['model', 'snapshot'])
      if node.name in also and deltawave._is_log(node) and deltawave._in_catalog(deltawave._relation(node.schema, node.alias)) -%}
    {%- set other = deltawave._operation_on('erase', node) -%}
    {%- if other and not other.record.is_baseline and deltawave._key_of(other) == key -%}
      {%- do logs.append({'node': node, 'work': other}) -%}
    {%- endif -%}
  {%- endfor -%}
  {{ return(logs) }}
{%- endmacro -%}
