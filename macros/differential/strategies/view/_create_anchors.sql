{#
  x__anchors_<batch>_<attempt>: the anchors of all rows that the relations' changes may have touched. Written before either side is read, so that
  both are restricted alike, whatever other runs add to the logs meanwhile. Returns the table.
#}
{%- macro _create_anchors(job, batch, last, root, moved) -%}
  {%- set anchors = deltawave._attempt_relation(job, deltawave._own_table(batch, 'anchors')) -%}
  {%- set parts = [] -%}
  {%- for relation in moved -%}
    {%- do deltawave._watch_changes(job, relation) -%}
    {%- if relation.is_direct -%}
      {%- do parts.append(deltawave._anchors_of_changes(relation)) -%}
    {%- else -%}
      {%- do parts.append(deltawave._anchors_of_rows(relation, '(\n' ~ job.sql ~ '\n)')) -%}
      {%- do parts.append(deltawave._anchors_of_rows(relation, deltawave._previous_slice(job, batch, last))) -%}
    {%- endif -%}
  {%- endfor -%}
  {%- set sql -%}
create table {{ anchors }}
using {{ job.settings.copy_format }}
{{ deltawave._name_mapping(job.settings.copy_format, root.view_columns) }}
as
select distinct
    {{ deltawave._quoted_list(root.anchors) | join(',\n    ') }}
from (
    {{ deltawave._indented(parts | join('\nunion all\n') or deltawave._no_anchors(root)) }}
)
  {%- endset -%}
  {%- do deltawave._run(job, sql) -%}
  {%- do deltawave._require_anchors(job, batch, anchors) -%}
  {{ return(anchors) }}
{%- endmacro -%}

{%- macro _no_anchors(root) -%}
select
    {%- for column in root.view_columns %}
    cast(null as {{ column.data_type }}) as {{ deltawave._quoted(column.name) }}{{ ',' if not loop.last }}
    {%- endfor %}
where false
{%- endmacro -%}

{%- macro _any_null(names) -%}
  {{ return('(' ~ deltawave._quoted_list(names) | join(' is null or ') ~ ' is null)') }}
{%- endmacro -%}

{# A row without an anchor belongs to no root row, so it could never be found again. #}
{%- macro _require_anchors(job, batch, table) -%}
  {%- set anchors = job.settings.relations[job.settings.root][0].values() | list -%}
  {%- set sql = 'select count(*) as without_anchor from ' ~ table ~ ' where ' ~ deltawave._any_null(anchors) -%}
  {%- set count = deltawave._run(job, sql).rows[0][0] | int -%}
  {%- if count -%}
    {%- do deltawave._refuse(job, batch, 'null_anchor', {
      'relation': job.settings.root, 'columns': anchors | join(', '), 'count': count,
    }) -%}
  {%- endif -%}
{%- endmacro -%}
