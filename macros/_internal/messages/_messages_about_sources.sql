{# Messages about external and remote sources, by what has to be corrected. #}
{%- macro _messages_about_sources() -%}
{%- set texts -%}
{% raw %}
Configuration:
  checksums_as_rows: >-
    source {source}: Spark would read the checksum files ({checksums}) in the folders of the data as rows; {remedy}.
  external_location: "source {source}: 'external.location' can't be {value!r}; it takes a folder or a file."
  external_two_formats: >-
    source {source}: 'external' says file_format: {file_format} and using: {using}. Keep one of them.
  unsafe_source: >-
    source {source}: a damaged or different file may be read without an error: {unsafe}. Remove such options from
    'external.options', and let create_external_sources make the table.
  external_format: "source {source}: 'external.file_format' can't be {value!r}; it takes {allowed}."
  format_column: >-
    source {source}: the column '{column}' in its yml is not a field of its format definition. There are: {fields}.
    Correct the name, or add a field.
  format_column_type: >-
    source {source}: the column '{column}' is {type} among its columns, and {field_type} among 'external.fields'. Keep
    the data_type of the field.
  format_partition: >-
    source {source}: the quarantine has a column '{column}' of its own, so no partition can have that name. Rename the
    folders.
  needs_spark_4: "Spark {version} can't read {what} as deltawave does; they need Spark 4.0 or newer."
  external_options: "source {source}: 'external.options' can't be {value!r}; it takes a mapping like {header: true}."
  external_without_columns: >-
    source {source}: no columns are listed in its yml, so no table can be made over its files. List each column with its
    data_type.
  external_column_type: >-
    source {source}: the column '{column}' has no data_type in the yml. Give it one: the table over the files needs it.
  external_without_partitions: >-
    source {source}: {location} holds no folder {folder}. Put the dumps into such folders, or remove 'partitions' from
    its external block.
  remote_adapter: >-
    {model}: 'remote' ({remote}) needs a profile of type: deltawave, with {remote} under remotes; the adapter of this
    profile reads no databases.
  remote_key_type: >-
    {model}: the key column '{column}' is of type {type}, which Spark and the remote '{remote}' sort differently. Cast
    it in the model's select, to text for instance.
  bad_records: >-
    {model}, batch {batch}: {count} malformed record(s) of source {source} were quarantined, for instance: {example}.
    Their rows look deleted, unless another record has their key. Read {quarantine}.
Data:
  undeclared_header: >-
    source {source}: the header of {file} has column(s) that its yml does not list: {unknown}. Nothing was read from
    {folder}. Listed are {columns}. If the columns are new, add each to the source's columns in the yml, like {name:
    {example}, data_type: string}, and create the table again, which does not change the files: dbt run-operation
    create_external_sources --args '{select: {source}}'. Otherwise correct or move the file: its header may be missing
    or truncated.
  folders_alike: "source {source}: the folders {one} and {other} name the same partition. Remove or rename one of them."
  format_null_partition: >-
    source {source}: the folder {folder} does not name a {data_type}, so its records would have no {column}. Rename it,
    or move it away.
  remote_key_value: >-
    {model}: {value!r} in the key column '{column}' can't be written as a {kind} of the source. Cast the column in the
    model's select, to text for instance.
State:
  external_not_created: >-
    {model}: source {source} has an external block, but its table {relation} does not exist. Create it: dbt
    run-operation create_external_sources --args '{select: {source}}'
  external_changed: >-
    {model}: source {source} was changed in its yml since its table {relation} was made, or an older version of
    deltawave created it. Nothing was read. Create the table again, which does not change the files: dbt run-operation
    create_external_sources --args '{select: {source}}'
  external_foreign_relation: >-
    source {source}: {relation} exists, but create_external_sources did not create it. It was not touched. Rename it, or
    give the source another schema or identifier.
Usage:
  unknown_source: "{macro}: there is no source {value!r} with an external block; known are: {known}."
{% endraw %}
{%- endset -%}
{{ return(fromyaml(texts)) }}
{%- endmacro -%}
