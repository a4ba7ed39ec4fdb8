{#
  A snapshot that has been built: {name, relation, columns, valid_to, current, is_deleted}. columns: those of its rows. current: the SQL of valid_to in current
  rows, besides null. is_deleted: the column that marks deleted rows (hard_deletes: new_record), or none.
#}
{%- macro _adopted_snapshot(job, name) -%}
  {%- set nodes = [] -%}
  {%- for node in graph.nodes.values() if node.resource_type == 'snapshot' and name in deltawave._names_of(node) -%}{%- do nodes.append(node) -%}{%- endfor -%}
  {%- if nodes | length != 1 -%}
    {%- set problem = 'several snapshots have this name' if nodes else 'there is no snapshot of this name' -%}
    {%- do deltawave._refuse_adopting(job, name, problem, 'Name one, if need be with its package') -%}
  {%- endif -%}
  {%- set config = nodes[0].config -%}
  {%- set key = (deltawave._listed(config.unique_key) or []) | map('replace', '`', '') | map('trim') | list -%}
  {%- if key | map('lower') | sort != job.settings.unique_key | map('lower') | sort -%}
    {%- set problem = 'its unique_key is ' ~ key | join(', ') ~ ', and that of the model ' ~ job.settings.unique_key | join(', ') -%}
    {%- do deltawave._refuse_adopting(job, name, problem, 'Take the same unique_key') -%}
  {%- endif -%}
  {%- set relation = deltawave._relation(nodes[0].schema, nodes[0].alias) -%}
  {%- if not deltawave._in_catalog(relation) -%}
    {%- do deltawave._refuse_adopting(job, name, relation ~ ' does not exist', 'Build it: dbt snapshot --select ' ~ name) -%}
  {%- endif -%}
  {%- set names = {} -%}
  {%- for meta in deltawave._meta_columns() -%}
    {%- do names.update({meta: (config.get('snapshot_meta_column_names') or {}).get(meta) or meta}) -%}
  {%- endfor -%}
  {%- set stored = deltawave._columns_of(relation) -%}
  {%- set columns = [] -%}
  {%- for column in stored if column.name | lower not in names.values() | map('lower') -%}{%- do columns.append(column) -%}{%- endfor -%}
  {%- set marks_deleted = names.dbt_is_deleted | lower in stored | map(attribute='name') | map('lower') -%}
  {{ return({
    'name': name, 'relation': relation, 'columns': columns, 'valid_to': names.dbt_valid_to, 'current': config.get('dbt_valid_to_current'),
    'is_deleted': names.dbt_is_deleted if marks_deleted else none,
  }) }}
{%- endmacro -%}
