{#
  Shows a decided batch to readers. No catalog replaces a view's text on a condition: a writer that stalls between its
  check and this statement may put an older text over a newer one. So every writer lists the decisions after its
  statement, and publishes the newest until it is its own. Whichever statement comes last, its writer lists them
  afterwards, so the view ends with the newest decision. Returns {batch_id: the batch that the view shows then, names:
  of the model's relations}.
#}
{%- macro _publish(job, record) -%}
  {%- do deltawave._replace_view(job, record) -%}
  {%- set names = deltawave._names_like(job, job.target.identifier ~ '__*') -%}
  {%- set last = (deltawave._commit_numbers(job, names) + [0]) | max -%}
  {%- if last > record.batch_id -%}
    {%- set newest = deltawave._read_commit(job, last) -%}
    {#- Its writer may be killed before it places the rows, and a batch that the view shows counts as finished. -#}
    {%- do deltawave._place_and_record(job, newest) -%}
    {{ return(deltawave._publish(job, newest)) }}
  {%- endif -%}
  {{ return({'batch_id': record.batch_id, 'names': names}) }}
{%- endmacro -%}

{#
  One atomic replacement of the view's text. On a Hive catalog "create or replace view" drops and creates, a gap that
  readers and kills can hit, so it is used only where the catalog stores views itself and replaces them atomically.
#}
{%- macro _replace_view(job, record) -%}
  {%- set select = deltawave._select_of_view(job, record) -%}
  {%- if not job.view_exists -%}
    {%- do deltawave._run(job, 'create view ' ~ job.target ~ deltawave._view_schema(job, select) ~ ' as ' ~ select) -%}
    {%- do deltawave._update(job, view_exists=true) -%}
  {%- elif deltawave._catalog_keeps_views(job) -%}
    {%- do deltawave._run(
      job, 'create or replace view ' ~ job.target ~ deltawave._view_schema(job, select) ~ ' as ' ~ select
    ) -%}
  {%- else -%}
    {%- do deltawave._run(job, 'alter view ' ~ job.target ~ ' as ' ~ select) -%}
  {%- endif -%}
{%- endmacro -%}

{# The view's text: each materialization names the macro that makes it from a record. #}
{%- macro _select_of_view(job, record) -%}{{ return(deltawave._macro_named(job.view)(job, record)) }}{%- endmacro -%}

{#
  Iceberg's session catalog makes views whose names Spark reads in lower case. Spark prefers these properties, in which
  its own views keep their names.
#}
{%- macro _view_schema(job, select) -%}
  {%- if not deltawave._catalog_keeps_views(job) -%}
    {{ return('') }}
  {%- endif -%}
  {%- set schema = deltawave._schema_json(deltawave._columns_of_query(select)) -%}
  {#- In parts, like Spark: a metastore limits the length of a value. -#}
  {%- set length = 4000 -%}
  {%- set properties = {'spark.sql.sources.schema.numParts': (schema | length + length - 1) // length} -%}
  {%- for start in range(0, schema | length, length) -%}
    {%- do properties.update({'spark.sql.sources.schema.part.' ~ loop.index0: schema[start:start + length]}) -%}
  {%- endfor -%}
  {%- set settings = [] -%}
  {%- for name, value in properties.items() -%}
    {%- do settings.append(deltawave._literal(name) ~ ' = ' ~ deltawave._literal(value)) -%}
  {%- endfor -%}
  {{ return(' tblproperties (' ~ settings | join(', ') ~ ')') }}
{%- endmacro -%}

{#
  The model as its readers see it. The text names the partitions that count, so a late writer that lost never becomes
  visible. It does not grow with batches, since partitions are merged.
#}
{%- macro default___log_view(job, record) -%}
select {{ deltawave._view_mark() }} {{ tojson({'batch_id': record.batch_id, 'attempt': record.attempt}) }} */
    {{ deltawave._contract_columns(record.columns, record.has_before, batch='_batch_id') }}
from {{ deltawave._rows_of_partitions(deltawave._helper_relation(job, record.log), record.partitions) }} as log
{%- endmacro -%}

{#
  A writer that slept after its decision may wake after others have finished its batch and continued: it stops before
  it drops what they need. `last`:
  the newest decision.
#}
{%- macro _refuse_overtaken(job, record, last) -%}
  {%- if last > record.batch_id -%}
    {%- do deltawave._fail('overtaken', {'model': job.name, 'batch': record.batch_id, 'last': last}) -%}
  {%- endif -%}
{%- endmacro -%}

{%- macro _is_overtaken(job, record) -%}
  {{ return(deltawave._last_commit(job) > record.batch_id) }}
{%- endmacro -%}

{#
  persist_docs. The model's description becomes the view's comment. Replacing a view's text loses the comments of its
  columns, so they are set on the columns of `table`, which every new text selects: the log (where _before and
  _batch_id have none), a wave index's first table, or the table that follows a log. known_as: the names there of
  columns that have another one in the view.
#}
{%- macro _describe_view(
  job, record, table,
  known_as={'_change_type': 'change_type', '_changed_columns': 'changed_columns', '_batch_at': 'batch_at'}
) -%}
  {%- if config.persist_relation_docs() and model.description and job.view_exists -%}
    {%- do deltawave._run(
      job, 'alter view ' ~ job.target ~ " set tblproperties ('comment' = " ~ deltawave._literal(model.description) ~ ')'
    ) -%}
  {%- endif -%}
  {#- Another run that has continued meanwhile describes its own view, and may have dropped that table. -#}
  {%- if config.persist_column_docs() and record and not deltawave._is_overtaken(job, record) -%}
    {%- set wrong = deltawave._wrong_comments(job, table, known_as) -%}
    {%- for name, description in wrong.items() -%}
      {%- do deltawave._run(
        job, 'alter table ' ~ table ~ ' alter column ' ~ deltawave._quoted(name) ~ ' comment '
          ~ deltawave._literal(description)
      ) -%}
    {%- endfor -%}
    {%- if wrong and not deltawave._is_overtaken(job, record) -%}
      {%- do deltawave._publish(job, record) -%}
    {%- endif -%}
  {%- endif -%}
{%- endmacro -%}

{# The table's columns whose comment differs from the description in the model's yml: {name: description}. #}
{%- macro _wrong_comments(job, table, known_as) -%}
  {%- set described = {} -%}
  {%- for name, column in model.columns.items() if column.description -%}
    {%- do described.update({(known_as[name] or name) | lower: column.description}) -%}
  {%- endfor -%}
  {%- set wrong = {} -%}
  {%- for row in deltawave._run(job, 'describe ' ~ table).rows if row[0] | lower in described
      and row[0] not in ['batch_id', 'attempt'] -%}
    {%- if row[2] != described[row[0] | lower] -%}
      {%- do wrong.update({row[0]: described[row[0] | lower]}) -%}
    {%- endif -%}
  {%- endfor -%}
  {{ return(wrong) }}
{%- endmacro -%}
