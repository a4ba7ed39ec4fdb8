{#
  Shows a decided batch to readers. No catalog replaces a view's text on a condition: a writer that stalls between its check and this statement may put
  an older text over a newer one. So every writer lists the decisions after its statement, and publishes the newest until it is its own. Whichever
  statement comes last, its writer lists them afterwards, so the view ends with the newest decision. Returns {batch_id: the batch that the view shows
  then, names: of the model's relations}.
#}
{%- macro _publish(job, record) -%}
  {%- do deltawave._replace_view(job, record) -%}
  {%- set names = deltawave._names_like(job, job.target.identifier ~ '__*') -%}
  {%- set last = deltawave._newest_commit(job, names) -%}
  {%- if last > record.batch_id -%}
    {%- set newest = deltawave._read_commit(job, last) -%}
    {#- Its writer may be killed before it places the rows, and a batch that the view shows counts as finished. -#}
    {%- do deltawave._place_and_record(job, newest) -%}
    {{ return(deltawave._publish(job, newest)) }}
  {%- endif -%}
  {{ return({'batch_id': record.batch_id, 'names': names}) }}
{%- endmacro -%}

{#
  One atomic replacement of the view's text. On a Hive catalog "create or replace view" drops and creates, a gap that readers and kills can hit, so it
  is used only where the catalog stores views itself and replaces them atomically.
#}
{%- macro _replace_view(job, record) -%}
  {%- set select = deltawave._select_of_view(job, record) -%}
  {%- if not job.view_exists -%}
    {%- do deltawave._run(job, 'create view ' ~ job.target ~ deltawave._view_schema(job, select) ~ ' as ' ~ select) -%}
    {%- do deltawave._update(job, view_exists=true) -%}
  {%- elif deltawave._catalog_keeps_views(job) -%}
    {%- do deltawave._run(job, 'create or replace view ' ~ job.target ~ deltawave._view_schema(job, select) ~ ' as ' ~ select) -%}
  {%- else -%}
    {%- do deltawave._run(job, 'alter view ' ~ job.target ~ ' as ' ~ select) -%}
  {%- endif -%}
{%- endmacro -%}

{# The view's text: each materialization names the macro that makes it from a record. #}
{%- macro _select_of_view(job, record) -%}{{ return(deltawave._macro_named(job.view)(job, record)) }}{%- endmacro -%}

{#
  Iceberg's session catalog makes views whose names Spark reads in lower case. Spark prefers these properties, in which its own views keep their
  names.
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
  {%- for name, value in properties.items() -%}{%- do settings.append(deltawave._literal(name) ~ ' = ' ~ deltawave._literal(value)) -%}{%- endfor -%}
  {{ return(' tblproperties (' ~ settings | join(', ') ~ ')') }}
{%- endmacro -%}

{#
  The model as its readers see it. The text names the partitions that count, so a late writer that lost never becomes visible. It does not grow with
  batches, since partitions are merged.
#}
{%- macro default___log_view(job, record) -%}
select {{ deltawave._view_mark() }} {{ tojson({'batch_id': record.batch_id, 'attempt': record.attempt}) }} */
    {{ deltawave._contract_columns(record.columns, record.has_before) }}
from {{ deltawave._rows_of_partitions(deltawave._helper_relation(job, record.log), record.partitions) }} as log
{%- endmacro -%}

{#
  A writer that slept after its decision may wake after others have finished its batch and continued: it stops before it drops what they need. `last`:
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
