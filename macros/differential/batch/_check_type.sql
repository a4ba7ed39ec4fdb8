{#
  Refuses types that no table can store (a bare null, an interval of months and days; in Iceberg's session catalog, a
  variant), key types that Spark cannot hash, collated keys (texts that are equal under a collation have different
  hashes), and a tolerance for what is not a number.
#}
{%- macro _check_type(job, column, is_key) -%}
  {%- set is_nested = '<' in column.data_type -%}
  {%- set parts = deltawave._type_parts(deltawave._parse_type(column.data_type)) if is_nested
      else [column.data_type | lower] -%}
  {%- set collations = modules.re.findall(' collate (\\w+)', parts | join(',')) | reject('eq', 'utf8_binary') | list -%}
  {%- if 'void' in parts or 'interval' in parts -%}
    {%- do deltawave._fail('column_type', {'model': job.name, 'column': column.name, 'type': column.data_type}) -%}
  {%- elif 'variant' in parts and job.settings.file_format == 'iceberg' -%}
    {%- do deltawave._fail('iceberg_variant', {'model': job.name, 'column': column.name}) -%}
  {%- elif is_key and ('map' in parts or 'variant' in parts) -%}
    {%- do deltawave._fail('key_type', {'model': job.name, 'column': column.name, 'type': column.data_type}) -%}
  {%- elif is_key and collations -%}
    {%- do deltawave._fail('key_collation', {'model': job.name, 'column': column.name, 'type': column.data_type}) -%}
  {%- endif -%}
  {%- set tolerated = (job.settings.tolerance or {}).keys() | map('lower') | list -%}
  {%- if column.name | lower in tolerated
      and not modules.re.match('(?:(tiny|small|big)?int|float|double|decimal)', column.data_type) -%}
    {%- do deltawave._fail('tolerance_type', {'model': job.name, 'column': column.name, 'type': column.data_type}) -%}
  {%- endif -%}
{%- endmacro -%}
