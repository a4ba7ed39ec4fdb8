{#
  What else was made of the log's rows, directly or through others: {models, that dbt can rebuild, logs: change logs and
  snapshots, which it can't}, by their names. erased: the models that no longer have them.
#}
{%- macro _other_readers(log, erased) -%}
  {%- set models, logs = [], [] -%}
  {%- for node in deltawave._nodes_after(log.unique_id, ['model', 'snapshot']) -%}
    {%- if node.name in erased -%}
      {#- Nothing to name. -#}
    {%- elif deltawave._is_log(node) or node.resource_type == 'snapshot' -%}
      {%- do logs.append(node.name) -%}
    {%- elif node.config.materialized not in ['view', 'ephemeral']
        and deltawave._in_catalog(deltawave._relation(node.schema, node.alias)) -%}
      {%- do models.append(node.name) -%}
    {%- endif -%}
  {%- endfor -%}
  {{ return({'models': models | sort, 'logs': logs | sort}) }}
{%- endmacro -%}

{# The places of a log's receipts that these are. #}
{%- macro _places_of_others(job, others) -%}
  {%- set places = [] -%}
  {%- for name in others.models + others.logs -%}
    {%- do places.append({
      'name': name, 'job': job, 'relations': [], 'rows': 0, 'before': none,
      'still_there': 'rows, until it is rebuilt' if name in others.models else 'rows, until they are erased there',
    }) -%}
  {%- endfor -%}
  {{ return(places) }}
{%- endmacro -%}

{%- macro _warn_of_other_readers(log, others) -%}
  {%- if others.models -%}
    {%- do exceptions.warn(deltawave._message('other_readers', {
      'model': log.name, 'readers': others.models | join(' '),
    })) -%}
  {%- endif -%}
  {%- if others.logs -%}
    {%- do exceptions.warn(deltawave._message('other_logs', {
      'model': log.name, 'logs': others.logs | join(', '),
    })) -%}
  {%- endif -%}
{%- endmacro -%}
