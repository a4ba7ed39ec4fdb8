{#
  x__anchors_<batch>_<attempt>: the anchors of all rows that changes of the relations may have touched. Written before either side is
  read, so that both are cut alike, whatever other runs add to the logs in the meantime.
#}
{%- macro _create_anchors(job, batch, last, root, moved) -%}
  {%- do batch.update(anchors={'kind': 'anchors', 'batch_id': batch.batch_id, 'attempt': batch.attempt}) -%}
  {%- set parts = [] -%}
  {%- for relation in moved -%}
    {%- do deltawave._watch_changes(job, batch, relation) -%}
    {%- if relation.is_direct -%}
      {%- do parts.append(deltawave._anchors_of_changes(relation)) -%}
    {%- else -%}
      {%- do parts.append(deltawave._anchors_of_rows(job, relation, '(\n' ~ job.sql ~ '\n)')) -%}
      {%- do parts.append(deltawave._anchors_of_rows(job, relation, deltawave._kept_slice(job, batch, last))) -%}
    {%- endif -%}
  {%- endfor -%}
  {%- set sql -%}
create table {{ deltawave._attempt_relation(job, batch.anchors) }}
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
  {%- do deltawave._require_anchors(job, batch, deltawave._attempt_relation(job, batch.anchors)) -%}
{%- endmacro -%}

{%- macro _no_anchors(root) -%}
select
    {%- for column in root.view_columns %}
    cast(null as {{ column.data_type }}) as {{ deltawave._quoted(column.name) }}{{ ',' if not loop.last }}
    {%- endfor %}
where false
{%- endmacro -%}

{# The mapped values of a relation's changes: of rows as they are, of deleted rows, and of updated rows as they were. #}
{%- macro _changed_values(relation) -%}
  {%- set after = deltawave._quoted_list(relation.log_columns | map(attribute='name')) -%}
  {%- set before = [] -%}
  {%- for column in relation.log_columns -%}
    {%- do before.append(('' if column.is_key else '`_before`.') ~ deltawave._quoted(column.name)) -%}
  {%- endfor -%}
  {%- set in_batches = deltawave._in_new_batches(relation) -%}
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

{#
  Where a changed value is null, columns are compared null-safely, which finds too much rather than too little, and keeps Spark from
  searching the relation alone.
#}
{%- macro _watch_changes(job, batch, relation) -%}
  {%- set sql -%}
select count(*) as nulls
from (
    {{ deltawave._indented(deltawave._changed_values(relation)) }}
)
where {{ deltawave._any_null(relation.log_columns | map(attribute='name')) }}
  {%- endset -%}
  {%- do relation.update(has_null=deltawave._run(job, sql).rows[0][0] | int > 0) -%}
{%- endmacro -%}

{%- macro _in_new_batches(relation) -%}
  {{ return('`_batch_id` > ' ~ relation.seen ~ ' and `_batch_id` <= ' ~ relation.last_batch) }}
{%- endmacro -%}

{%- macro _any_null(names) -%}
  {{ return('(' ~ deltawave._quoted_list(names) | join(' is null or ') ~ ' is null)') }}
{%- endmacro -%}

{# The anchors that the changed rows name themselves. A changed row without anchor joins no root row. #}
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

{# The anchors of those rows whose mapped columns hold a changed value. #}
{%- macro _anchors_of_rows(job, relation, rows) -%}
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

{# The condition that columns of two aliases are equal, pair by pair. Not null-safe where it can be: Spark pushes that below no join. #}
{%- macro _equal_columns(left_names, left, right_names, right, operator='=') -%}
  {%- set conditions = [] -%}
  {%- for name in left_names -%}
    {%- do conditions.append(left ~ '.' ~ deltawave._quoted(name) ~ ' ' ~ operator ~ ' ' ~ right ~ '.' ~ deltawave._quoted(right_names[loop.index0])) -%}
  {%- endfor -%}
  {{ return(conditions | join(' and ')) }}
{%- endmacro -%}

{#
  A condition on columns that a table's few values imply, so that files without them are skipped; true for many values, which cost more
  to look at in each row than they spare.
#}
{%- macro _few_values(job, table, columns) -%}
  {%- set conditions = [] -%}
  {%- for column in columns if deltawave._has_bounds([column]) -%}
    {%- set name = deltawave._quoted(column.name) -%}
    {%- set sql = 'select distinct ' ~ deltawave._bound_text(name, column.data_type) ~ ' as value from ' ~ table ~ ' limit 201' -%}
    {%- set values = [] -%}
    {%- set nulls = [] -%}
    {%- for row in deltawave._run(job, sql).rows -%}
      {%- do (nulls if row[0] is none else values).append(deltawave._bound_literal(row[0], column.data_type)) -%}
    {%- endfor -%}
    {%- if (values + nulls) | length <= 200 -%}
      {%- set parts = ([name ~ ' in (' ~ values | join(', ') ~ ')'] if values else []) + ([name ~ ' is null'] if nulls else []) -%}
      {%- do conditions.append('(' ~ parts | join(' or ') ~ ')' if parts else 'false') -%}
    {%- endif -%}
  {%- endfor -%}
  {{ return(conditions | join(' and ') or 'true') }}
{%- endmacro -%}

{# A row without anchor belongs to no row of the root: it could never be found again. #}
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
