{# Runs one statement and returns its rows (agate); its text goes to target/run. #}
{%- macro _run(job, sql) -%}
  {%- do job.statements.append(sql.strip()) -%}
  {{ return(run_query(sql)) }}
{%- endmacro -%}

{# The value of a session's setting; <undefined> if it has none. The adapter asks the session, which takes no statement. #}
{%- macro _setting(job, name) -%}
  {%- if adapter.session_setting is defined -%}{{ return(adapter.session_setting(name)) }}{%- endif -%}
  {{ return(deltawave._run(job, 'set ' ~ name).rows[0][1] | string) }}
{%- endmacro -%}

{%- macro _row_count(job, table) -%}
  {{ return(deltawave._run(job, 'select count(*) as row_count from ' ~ table).rows[0][0] | int) }}
{%- endmacro -%}

{# Iceberg's session catalog leaves the files of a dropped table, whatever its format, unless the statement says purge. #}
{%- macro _drop_table(job, table) -%}
  {%- set purge = ' purge' if deltawave._catalog_keeps_views(job) else '' -%}
  {%- do deltawave._run(job, 'drop table if exists ' ~ table ~ purge) -%}
{%- endmacro -%}

{# What is known of a relation without its columns: Type, Location, View Text. The adapter asks the catalog, which takes no statement. #}
{%- macro _facts_of(job, relation) -%}
  {%- set known = adapter.catalog_facts(relation) if adapter.catalog_facts is defined else none -%}
  {{ return(deltawave._table_facts(deltawave._run(job, 'describe extended ' ~ relation).rows) if known is none else known) }}
{%- endmacro -%}
