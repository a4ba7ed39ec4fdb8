{#
  The record of a wave index, from its view. None if a probe or a scan has nothing to choose from: under --empty (no
  rows), in a unit test (the fixture has the rows to be found), and before the first day (the compiled SQL does not run
  without a view).
#}
{%- macro _wave_of(relation) -%}
  {%- if not execute or relation.is_cte or relation.limit is number -%}{{ return(none) }}{%- endif -%}
  {%- for view in deltawave._views_with_text_of(model if model is defined else {}) -%}
    {%- do deltawave._fail('wave_in_a_view', {'model': view, 'relation': relation | string}) -%}
  {%- endfor -%}
  {%- if relation is string -%}
    {%- set view = relation -%}
  {%- elif not deltawave._in_catalog(relation) -%}
    {{ return(none) }}
  {%- else -%}
    {%- set view = deltawave._relation(relation.schema, relation.identifier) -%}
  {%- endif -%}
  {%- set facts = deltawave._table_facts(run_query('describe extended ' ~ view).rows) -%}
  {%- set mark = deltawave._mark_in(facts.get('View Text') or '') -%}
  {%- if not mark.get('wave') and mark.get('batch_id') != 0 -%}
    {%- do deltawave._fail('not_a_wave_index', {'relation': relation | string}) -%}
  {%- endif -%}
  {{ return(mark.get('wave')) }}
{%- endmacro -%}

{# The names of the views that contain a node's text: its own, or, if it is ephemeral, those that read it. #}
{%- macro _views_with_text_of(node) -%}
  {%- set views = [] -%}
  {%- if node.resource_type == 'model' and node.config.materialized in ['view', 'materialized_view'] -%}
    {%- do views.append(node.name) -%}
  {%- elif node.resource_type == 'test' and node.config.store_failures_as == 'view' -%}
    {%- do views.append(node.name) -%}
  {%- elif node.resource_type == 'model' and node.config.materialized == 'ephemeral' -%}
    {%- for other in graph.nodes.values() if node.unique_id in other.depends_on.nodes -%}
      {%- do views.extend(deltawave._views_with_text_of(other)) -%}
    {%- endfor -%}
  {%- endif -%}
  {{ return(views) }}
{%- endmacro -%}

{# --sample and microbatch models read some rows of a relation, by its event_time: the same filter for found rows. #}
{%- macro _as_read(relation, select) -%}
  {%- if relation is string or not relation.event_time_filter -%}{{ return(select) }}{%- endif -%}
  {{ return('select * from ' ~ relation.render_event_time_filtered('(\n' ~ select ~ '\n)')) }}
{%- endmacro -%}
