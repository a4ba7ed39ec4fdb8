{# Messages about table formats, by what has to be corrected. #}
{%- macro _messages_about_formats() -%}
{%- set texts -%}
{% raw %}
Configuration:
  unknown_external_option: "source {source}: '{block}' has no option '{option}'; known are {known}."
  encoding_of_dbt: >-
    encoding: {encoding}: dbt 2 has no tables of encodings. Create the table and run its models with dbt 1, or deliver
    the files in UTF-8.
  external_value: "source {source}: 'external.{option}' can't be {value!r}; it takes {allowed}."
  format_without_fields: >-
    source {source}: 'external.fields' lists no fields, so records cannot be read. List each with its name and
    data_type, in the order of the file.
  format_field_name: >-
    source {source}: 'external.fields' can't have {value!r}; each field is a mapping like {name: account_id, data_type:
    int}.
  format_field_twice: >-
    source {source}: two fields, or a field and a partition, have the name '{field}' (case does not distinguish names).
    Give each its own name.
  format_overlap: >-
    source {source}: the field '{field}' starts at {start}, within '{previous}', which ends at {end}. Correct a start or
    a length.
  format_option_of_type: >-
    source {source}: 'external.{option}' has no effect on {type}. Take it out, or correct the data_type.
  format_key: "source {source}: 'external.key' names {value!r}, which is not a field. There are: {fields}."
  format_delimiter: "source {source}: file_format: delimited needs 'external.delimiter', for instance delimiter: '|'."
  format_count: >-
    source {source}: 'external.{option}' counts by {pattern!r}, which has no group for the number. Put it in
    parentheses, as in 'T([0-9]+)'.
{% endraw %}
{%- endset -%}
{{ return(fromyaml(texts)) }}
{%- endmacro -%}
