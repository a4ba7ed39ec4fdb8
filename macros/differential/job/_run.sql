{# Runs one statement and returns its rows (agate); its text goes to target/run. #}
{%- macro _run(job, sql) -%}
  {%- do job.statements.append(sql.strip()) -%}
  {{ return(run_query(sql)) }}
{%- endmacro -%}

{# The value of a session's setting, or <undefined>. The adapter asks the session, which takes no statement. #}
{%- macro _setting(job, name) -%}
  {%- if adapter.session_setting is defined -%}{{ return(adapter.session_setting(name)) }}{%- endif -%}
  {{ return(deltawave._run(job, 'set ' ~ name).rows[0][1] | string) }}
{%- endmacro -%}

{%- macro _row_count(job, table) -%}
  {{ return(deltawave._run(job, 'select count(*) as row_count from ' ~ table).rows[0][0] | int) }}
{%- endmacro -%}

{# Iceberg's session catalog leaves the files of a dropped table of any format, unless the statement says purge. #}
{%- macro _drop_table(job, table) -%}
  {%- set purge = ' purge' if deltawave._catalog_keeps_views(job) else '' -%}
  {%- do deltawave._run(job, 'drop table if exists ' ~ table ~ purge) -%}
{%- endmacro -%}

{#
  What is known of a relation without its columns: Type, Location, View Text. The adapter asks the catalog, which takes
  no statement.
#}
{%- macro _facts_of(job, relation) -%}
  {%- set known = adapter.catalog_facts(relation) if adapter.catalog_facts is defined else none -%}
  {{ return(
    deltawave._table_facts(deltawave._run(job, 'describe extended ' ~ relation).rows) if known is none else known
  ) }}
{%- endmacro -%}

{#
  Lets the session see tables as they are. Iceberg's catalog shows a table as it was when the session last read it,
  while the text of a view is always the
  newest: rows of a batch that another process has published meanwhile would be missed.
#}
{%- macro _refresh(job, file_format, tables) -%}
  {%- for table in tables if file_format == 'iceberg' -%}
    {%- do deltawave._run(job, 'refresh table ' ~ table) -%}
  {%- endfor -%}
{%- endmacro -%}

{#
  A Python function's result as a temporary view; returns its quoted name. The adapter drops the view before the
  model's next call of a function, or when the node ends, however it ends. suffix: the part of the view's name for what
  it holds. Figures that the function measured are added to the batch's result.
#}
{%- macro _view_by_python(job, batch, function, relations, options, suffix) -%}
  {%- set view = deltawave._temporary_name(job, batch, suffix) -%}
  {%- set reported = adapter.view_by_python(function, relations, options, view) or {'messages': [], 'measured': {}} -%}
  {%- for message in reported.messages -%}
    {%- do log('deltawave: ' ~ job.name ~ ': ' ~ message, info=true) -%}
  {%- endfor -%}
  {%- if reported.measured -%}{%- do deltawave._update(batch.result, measured=reported.measured) -%}{%- endif -%}
  {%- do job.statements.append(
    '-- the temporary view ' ~ deltawave._quoted(view) ~ ' is what ' ~ function ~ ' returned'
  ) -%}
  {{ return(deltawave._quoted(view)) }}
{%- endmacro -%}

{# The name of a temporary view, unique among the session's models, whatever characters their names contain. #}
{%- macro _temporary_name(job, batch, suffix) -%}
  {%- set model = [job.target.schema, job.target.identifier] -%}
  {{ return(
    model | join('__') ~ '__' ~ suffix ~ '_' ~ batch.batch_id ~ '_' ~ batch.attempt ~ '_' ~ local_md5(tojson(model))[:8]
  ) }}
{%- endmacro -%}
