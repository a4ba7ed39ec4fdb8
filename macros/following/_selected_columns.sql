{# The columns of rows that the select returns: [{name, data_type}], without the log's own, which have to be there. #}
{%- macro _selected_columns(job) -%}
  {%- set all = deltawave._columns_of(job.sql) -%}
  {%- set names = all | map(attribute='name') | map('lower') | list -%}
  {%- for name in deltawave._required_log_columns(job) if name not in names -%}
    {%- do deltawave._fail('missing_log_column', {'model': job.name, 'column': name, 'log': job.follows.name}) -%}
  {%- endfor -%}
  {%- do deltawave._require_selected(job, 'unique_key', job.settings.unique_key, all) -%}
  {%- set keys = job.settings.unique_key | map('lower') | list -%}
  {%- set selected = [] -%}
  {%- for column in all if column.name in deltawave._data_columns(job.sql, all, job.name) -%}
    {%- set name = column.name | lower -%}
    {%- if name in deltawave._reserved_by_followers() -%}
      {%- do deltawave._fail('reserved_column', {'model': job.name, 'column': column.name}) -%}
    {%- elif names.count(name) > 1 -%}
      {%- do deltawave._fail('ambiguous_column', {'model': job.name, 'column': column.name}) -%}
    {%- endif -%}
    {%- for meta, shown in (job.settings.snapshot_meta_column_names or {}).items() if shown | lower == name -%}
      {%- do deltawave._fail('meta_column', {'model': job.name, 'column': column.name, 'meta': meta}) -%}
    {%- endfor -%}
    {%- do deltawave._check_type(job, column, name in keys) -%}
    {%- do selected.append({'name': column.name, 'data_type': column.data_type}) -%}
  {%- endfor -%}
  {{ return(selected) }}
{%- endmacro -%}

{#
  Refuses names that have to be those of the log's columns. Tracked columns: _changed_columns names the log's, so a
  change of a column that the select has renamed or computed would never open a version; one that the select leaves out
  may be tracked. All columns of a bag's rows: an update takes away the row that _before shows, which has the log's
  columns.
#}
{%- macro _require_names_of_log(job, followed, selected) -%}
  {%- set known = followed.columns | map('lower') | list -%}
  {%- for name in job.settings.track_columns or [] if name | lower not in known -%}
    {%- do deltawave._fail('tracked_column', {
      'model': job.name, 'column': name, 'log': followed.name, 'columns': followed.columns | join(', '),
    }) -%}
  {%- endfor -%}
  {%- for column in selected if job.settings.is_multiset and column.name | lower not in known -%}
    {%- do deltawave._fail('column_of_bag', {'model': job.name, 'column': column.name, 'log': followed.name}) -%}
  {%- endfor -%}
{%- endmacro -%}

{# The log's own columns that the select has to return. #}
{%- macro _required_log_columns(job) -%}
  {%- set versioned = ['_changed_columns', '_batch_at'] if job.settings.kind == 'scd2' else [] -%}
  {{ return(['_change_type', '_batch_id'] + versioned + (['_before'] if job.settings.is_multiset else [])) }}
{%- endmacro -%}

{#
  What a table of versions stores about each version: the batch that opened it, its times, whether it is that of a
  deleted row, its hash.
#}
{%- macro _version_columns() -%}
  {{ return([
    {'name': '_opened_by', 'data_type': 'bigint'},
    {'name': '_valid_from', 'data_type': 'timestamp'},
    {'name': '_valid_to', 'data_type': 'timestamp'},
    {'name': '_updated_at', 'data_type': 'timestamp'},
    {'name': '_is_deleted', 'data_type': 'boolean'},
    {'name': '_scd_id', 'data_type': 'string'},
  ]) }}
{%- endmacro -%}
