{# Delta allows names with these characters only under column mapping, which is requested where a name needs it. #}
{%- macro _name_mapping(file_format, columns) -%}
  {%- set names = [] -%}
  {%- for column in columns -%}{%- do names.extend([column.name] + deltawave._field_names(deltawave._parse_type(column.data_type))) -%}{%- endfor -%}
  {%- set needs_it = file_format == 'delta' and modules.re.search('[ ,;{}()\n\t=]', names | join) -%}
  {{ return("tblproperties ('delta.columnMapping.mode' = 'name')" if needs_it else '') }}
{%- endmacro -%}

{# The names of the fields in a parsed type, at any depth. #}
{%- macro _field_names(type) -%}
  {%- set names = [] -%}
  {%- for part in [type.element, type.key, type.value] if part -%}{%- do names.extend(deltawave._field_names(part)) -%}{%- endfor -%}
  {%- for field in type.fields or [] -%}{%- do names.extend([field.name] + deltawave._field_names(field.type)) -%}{%- endfor -%}
  {{ return(names) }}
{%- endmacro -%}

{# Iceberg's session catalog writes the type of _before as Hive does, without quotes, and Spark cannot read some names back. #}
{%- macro _check_names(job) -%}
  {%- if job.settings.before_image != 'none' and deltawave._catalog_keeps_views(job) -%}
    {%- for column in job.columns if not column.is_key and modules.re.search('[`,:<>]', column.name) -%}
      {%- do deltawave._fail('name_in_before', {'model': job.name, 'column': column.name}) -%}
    {%- endfor -%}
  {%- endif -%}
{%- endmacro -%}

{# Names of the log's own columns, in the table and in the view, and of columns that the engine adds to those of a row. #}
{%- macro _reserved_columns() -%}
  {%- set steps = [] -%}
  {%- for number in range(1, 32) -%}{%- do steps.append('_step_' ~ number) -%}{%- endfor -%}
  {{ return([
    'change_type', 'changed_columns', 'batch_id', 'of_batch', 'batch_at', 'attempt', 'key_hash', 'row_checksum', 'is_flagged', 'was_kept', 'is_there',
    '_change_type', '_changed_columns', '_before', '_batch_id', '_batch_at', '_recency',
  ] + steps) }}
{%- endmacro -%}
