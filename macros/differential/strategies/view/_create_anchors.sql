{#
  x__anchors_<batch>_<attempt>: the anchors of all rows that the relations' changes may have touched. Written before
  either side is read, so that both are restricted alike, whatever other runs add to the logs meanwhile. Returns the
  table.
#}
{%- macro _create_anchors(job, batch, last, root, moved) -%}
  {%- set anchors = deltawave._attempt_relation(job, deltawave._own_table(batch, 'anchors')) -%}
  {%- set parts = [] -%}
  {%- for relation in moved -%}
    {#-
      If a changed value is null, columns are compared null-safely: that may find too many rows but never too few. The
      null-safe join cannot be pushed down, so it is used only if needed.
    -#}
    {%- set nulls = 'select count(*) as nulls\nfrom ' ~ deltawave._in_parentheses(deltawave._changed_values(relation))
        ~ '\nwhere ' ~ deltawave._any_null(relation.log_columns | map(attribute='name')) -%}
    {%- do relation.update(has_null=deltawave._run(job, nulls).rows[0][0] | int > 0) -%}
    {%- if relation.is_direct -%}
      {%- do parts.append(deltawave._anchors_of_changes(relation)) -%}
    {%- else -%}
      {%- do parts.append(deltawave._anchors_of_rows(relation, '(\n' ~ job.sql ~ '\n)')) -%}
      {%- do parts.append(deltawave._anchors_of_rows(relation, deltawave._previous_slice(job, batch, last))) -%}
    {%- endif -%}
  {%- endfor -%}
  {%- set sql -%}
create table {{ anchors }}
using {{ deltawave._state_format() }}
{{ deltawave._name_mapping(deltawave._state_format(), root.view_columns) }}
as
select distinct
    {{ deltawave._quoted_list(root.anchors) | join(',\n    ') }}
from (
    {%- if parts %}
    {{ deltawave._indented(parts | join('\nunion all\n')) }}
    {%- else %}
    select
        {{ deltawave._null_columns(root.view_columns) | join(',\n        ') }}
    where false
    {%- endif %}
)
  {%- endset -%}
  {%- do deltawave._run(job, sql) -%}
  {%- do deltawave._require_anchors(job, batch, anchors) -%}
  {{ return(anchors) }}
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

{# The anchors among the columns of the changed rows. A changed row without an anchor joins no root row. #}
{%- macro _anchors_of_changes(relation) -%}
  {%- set values = [] -%}
  {%- set names = relation.view_columns | map(attribute='name') | list -%}
  {%- set present = [] -%}
  {%- for anchor in relation.anchors -%}
    {%- set source = 'changed.' ~ deltawave._quoted(relation.log_columns[names.index(anchor)].name) -%}
    {%- do values.append(source ~ ' as ' ~ deltawave._quoted(anchor)) -%}
    {%- do present.append(source ~ ' is not null') -%}
  {%- endfor -%}
select
    {{ values | join(',\n    ') }}
from (
    {{ deltawave._indented(deltawave._changed_values(relation)) }}
) as changed
where {{ present | join(' and ') }}
{%- endmacro -%}

{# The anchors of the rows whose mapped columns hold a changed value. #}
{%- macro _anchors_of_rows(relation, rows) -%}
  {%- set view_names = relation.view_columns | map(attribute='name') | list -%}
  {%- set log_names = relation.log_columns | map(attribute='name') | list -%}
select
    {{ deltawave._quoted_list(relation.anchors, 'touched') | join(',\n    ') }}
from {{ rows }} as touched
left semi join (
    {{ deltawave._indented(deltawave._changed_values(relation)) }}
) as changed
    on {{ deltawave._equal_columns(view_names, 'touched', log_names, 'changed', '<=>' if relation.has_null else '=') }}
{%- endmacro -%}

{# The mapped values of a relation's changes: of current and deleted rows, and of updated rows before the update. #}
{%- macro _changed_values(relation) -%}
  {%- set after = deltawave._quoted_list(relation.log_columns | map(attribute='name')) -%}
  {%- set before = [] -%}
  {%- for column in relation.log_columns -%}
    {%- do before.append(('' if column.is_key else '`_before`.') ~ deltawave._quoted(column.name)) -%}
  {%- endfor -%}
  {%- set in_batches = '`_batch_id` > ' ~ relation.last_read ~ ' and `_batch_id` <= ' ~ relation.last_batch -%}
select
    {{ after | join(',\n    ') }}
from {{ relation.log }}
where {{ in_batches }}
{%- if before != after %}
union
select
    {{ before | join(',\n    ') }}
from {{ relation.log }}
where {{ in_batches }}
    and `_change_type` = 'update'
{%- endif -%}
{%- endmacro -%}

{# The condition that columns of two aliases are equal, in pairs. Spark pushes no null-safe one below a join. #}
{%- macro _equal_columns(left_names, left, right_names, right, operator='=') -%}
  {%- set conditions = [] -%}
  {%- for name in left_names -%}
    {%- do conditions.append(
      left ~ '.' ~ deltawave._quoted(name) ~ ' ' ~ operator ~ ' ' ~ right ~ '.'
      ~ deltawave._quoted(right_names[loop.index0])
    ) -%}
  {%- endfor -%}
  {{ return(conditions | join(' and ')) }}
{%- endmacro -%}
