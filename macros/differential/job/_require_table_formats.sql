{#
  Delta and Iceberg tables need a catalog that supports them. A session without one would report that in Java's words,
  and only after the dump was landed.
#}
{%- macro _require_table_formats(job) -%}
  {{ return(adapter.dispatch('_require_table_formats', 'deltawave')(job)) }}
{%- endmacro -%}

{%- macro default___require_table_formats(job) -%}
  {%- if job.settings.file_format != 'parquet' and deltawave._session_catalog(job) in ['<undefined>', 'builtin'] -%}
    {%- do deltawave._fail('format_without_catalog', {'model': job.name, 'format': job.settings.file_format}) -%}
  {%- endif -%}
{%- endmacro -%}

{# Every catalog of Databricks supports Delta tables. #}
{%- macro databricks___require_table_formats(job) -%}{%- endmacro -%}

{# The class of the session catalog, as Spark names it; <undefined> or builtin for Spark's own. #}
{%- macro _session_catalog(job) -%}
  {%- if job.catalog is none -%}
    {%- do deltawave._update(job, catalog=deltawave._setting(job, 'spark.sql.catalog.spark_catalog')) -%}
  {%- endif -%}
  {{ return(job.catalog) }}
{%- endmacro -%}

{%- macro _catalog_keeps_views(job) -%}
  {{ return('iceberg' in deltawave._session_catalog(job) | lower) }}
{%- endmacro -%}

{# Delta allows names with these characters only under column mapping, which is requested where a name needs it. #}
{%- macro _name_mapping(file_format, columns) -%}
  {%- if file_format != 'delta' -%}{{ return('') }}{%- endif -%}
  {%- set names = [] -%}
  {%- for column in columns -%}
    {%- do names.extend([column.name] + deltawave._field_names(deltawave._parse_type(column.data_type))) -%}
  {%- endfor -%}
  {{ return(
    "tblproperties ('delta.columnMapping.mode' = 'name')" if modules.re.search('[ ,;{}()\n\t=]', names | join) else ''
  ) }}
{%- endmacro -%}

{# The names of the fields in a parsed type, at any depth. #}
{%- macro _field_names(type) -%}
  {%- set names = [] -%}
  {%- for part in [type.element, type.key, type.value] if part -%}
    {%- do names.extend(deltawave._field_names(part)) -%}
  {%- endfor -%}
  {%- for field in type.fields or [] -%}
    {%- do names.extend([field.name] + deltawave._field_names(field.type)) -%}
  {%- endfor -%}
  {{ return(names) }}
{%- endmacro -%}

{# Iceberg's session catalog writes the type of _before without quotes, and Spark cannot read some names back. #}
{%- macro _check_names(job) -%}
  {%- for column in job.columns if not column.is_key and modules.re.search('[`,:<>]', column.name) -%}
    {%- do deltawave._fail('name_in_before', {'model': job.name, 'column': column.name}) -%}
  {%- endfor -%}
{%- endmacro -%}

{# Adds the missing columns to a table. False if it has one of them with another type. #}
{%- macro _add_columns(job, table, columns) -%}
  {%- set present = deltawave._types_of(deltawave._columns_of(table)) -%}
  {%- set missing, other_type = [], [] -%}
  {%- for column in columns -%}
    {%- if column.name | lower not in present -%}
      {%- do missing.append(column) -%}
    {%- elif present[column.name | lower] != column.data_type -%}
      {%- do other_type.append(column.name) -%}
    {%- endif -%}
  {%- endfor -%}
  {%- if missing -%}
    {%- set mapping = deltawave._name_mapping(job.settings.file_format, missing) -%}
    {%- if mapping -%}{%- do deltawave._run(job, 'alter table ' ~ table ~ ' set ' ~ mapping) -%}{%- endif -%}
    {%- do deltawave._run(
      job, 'alter table ' ~ table ~ ' add columns (' ~ deltawave._definitions(missing) | join(', ') ~ ')'
    ) -%}
  {%- endif -%}
  {{ return(not other_type) }}
{%- endmacro -%}

{# Columns as a table's statement defines them. #}
{%- macro _definitions(columns) -%}
  {%- set definitions = [] -%}
  {%- for column in columns -%}
    {%- do definitions.append(deltawave._quoted(column.name) ~ ' ' ~ column.data_type) -%}
  {%- endfor -%}
  {{ return(definitions) }}
{%- endmacro -%}
