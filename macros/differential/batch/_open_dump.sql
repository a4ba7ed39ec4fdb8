{# The dump of a run: the model's select and its columns. #}
{%- macro _open_dump(job, sql) -%}
  {%- if invocation_args_dict.get('sample') -%}
    {%- do deltawave._fail('sample', {'model': job.name}) -%}
  {%- endif -%}
  {%- set settings, strategy = job.settings, job.strategy -%}
  {%- if strategy.reads == 'logs' -%}
    {%- do deltawave._check_lineage(job.name, settings, model) -%}
  {%- endif -%}
  {%- do deltawave._require_table_formats(job) -%}
  {%- if job.state_schema != job.target.schema -%}
    {%- do deltawave._run(job, 'create schema if not exists ' ~ deltawave._quoted(job.state_schema)) -%}
  {%- endif -%}
  {%- do deltawave._update(job, sql=sql) -%}
  {%- if settings.remote -%}
    {%- do deltawave._open_remote(job) -%}
  {%- endif -%}
  {%- do deltawave._update(job, select_columns=deltawave._dump_columns(job)) -%}
  {%- do deltawave._update(job, columns=job.select_columns) -%}
  {%- if settings.before_image != 'none' and deltawave._catalog_keeps_views(job) -%}
    {%- do deltawave._check_names(job) -%}
  {%- endif -%}
  {%- if strategy.ranges == 'compared' -%}
    {%- do deltawave._check_range_key(job) -%}
  {%- endif -%}
{%- endmacro -%}

{# --empty: an empty model without a batch, so that others can be built on it. An existing model is left as it is. #}
{%- macro _create_without_rows(job) -%}
  {%- if not job.view_exists -%}
    {%- do deltawave._check_new_names(job, job.columns | map(attribute='name')) -%}
    {%- set columns = [] -%}
    {%- for column in job.columns -%}
      {%- do columns.append(deltawave._compared_column(job.settings, column, false, true)) -%}
    {%- endfor -%}
    {%- do deltawave._create_log(job, deltawave._helper_relation(job, deltawave._generation_log(1)), columns) -%}
    {%- do deltawave._replace_view(job, {
      'batch_id': 0, 'attempt': job.attempt, 'log': deltawave._generation_log(1), 'partitions': [], 'columns': columns,
      'has_before': job.settings.before_image != 'none',
    }) -%}
  {%- endif -%}
{%- endmacro -%}

{#
  The dump's columns as the model's select returns them: [{name, data_type}], checked. Left out: the snapshot date,
  which belongs to the batch and not to a row, and the column of the delete flag.
#}
{%- macro _dump_columns(job) -%}
  {%- set columns = deltawave._columns_of_query(job.sql) -%}
  {%- do job.statements.append('describe query ' ~ job.sql.strip()) -%}
  {%- set names = columns | map(attribute='name') | map('lower') | list -%}
  {%- set settings = job.settings -%}

  {%- for option in [
    'unique_key', 'snapshot_date', 'updated_at', 'row_id', 'compare_columns', 'ignore_columns', 'tolerance',
  ] -%}
    {%- do deltawave._require_selected(job, option, settings[option] or [], columns) -%}
  {%- endfor -%}
  {%- for mappings in (settings.relations or {}).values() -%}
    {%- for mapping in mappings -%}
      {%- do deltawave._require_selected(job, 'relations', mapping.values(), columns) -%}
    {%- endfor -%}
  {%- endfor -%}
  {%- for name in names -%}
    {%- if name in deltawave._reserved_columns() or name.startswith(deltawave._before_name('')) -%}
      {%- do deltawave._fail('reserved_column', {'model': job.name, 'column': name}) -%}
    {%- endif -%}
    {%- if names.count(name) > 1 -%}
      {%- do deltawave._fail('ambiguous_column', {'model': job.name, 'column': name}) -%}
    {%- endif -%}
  {%- endfor -%}

  {%- if settings.delete_flag -%}
    {%- do deltawave._update(job, flag=deltawave._read_flag(job, columns)) -%}
  {%- endif -%}
  {%- set described = [] -%}
  {%- for column in columns if column.name | lower != job.flag.column -%}
    {%- if column.name | lower == (settings.snapshot_date or '') | lower -%}
      {%- do deltawave._update(job, snapshot_type=column.data_type) -%}
      {%- do deltawave._check_snapshot_order(job) -%}
    {%- else -%}
      {%- set is_key = column.name | lower in settings.unique_key | map('lower') | list -%}
      {%- do deltawave._check_type(job, column, is_key) -%}
      {%- if column.name | lower == (settings.updated_at or '') | lower -%}
        {%- do deltawave._check_time_column(job, column) -%}
        {%- do deltawave._update(job, time_type=column.data_type) -%}
      {%- endif -%}
      {%- do described.append({'name': column.name, 'data_type': column.data_type, 'is_key': is_key}) -%}
    {%- endif -%}
  {%- endfor -%}
  {{ return(described) }}
{%- endmacro -%}

{#
  The columns of the select that the dump of a date does not have, in lower case: no header of its folders has a column
  of that name, and the select returns no value for it. As in a table without that column, on_schema_change applies.
#}
{%- macro _missing_columns(job, found) -%}
  {%- set missing = [] -%}
  {%- for name, values in found.filled.items() if values == 0 -%}
    {%- set folders = {'all': 0, 'without': 0} -%}
    {%- for source in job.dated_sources if source.headers -%}
      {%- for dump in deltawave._announced_dumps(job, source) if dump.order == found.order -%}
        {#- A source that does not declare the column, like one of row counts, says nothing about it. -#}
        {%- for table in source.headers if name in (table.names + table.missing) | map('lower') -%}
          {%- set count = dump.folders | select('in', table.folders) | list | length -%}
          {%- set is_without = name not in table.names | map('lower') -%}
          {%- do folders.update({
            'all': folders['all'] + count, 'without': folders['without'] + (count if is_without else 0),
          }) -%}
        {%- endfor -%}
      {%- endfor -%}
    {%- endfor -%}
    {%- if folders['all'] and folders['all'] == folders['without'] -%}{%- do missing.append(name) -%}{%- endif -%}
  {%- endfor -%}
  {{ return(missing) }}
{%- endmacro -%}

{# The columns of the select that the dump has. #}
{%- macro _columns_of_dump(job, dump) -%}
  {%- set columns = [] -%}
  {%- for column in job.select_columns if column.name | lower not in dump.missing -%}
    {%- do columns.append(column) -%}
  {%- endfor -%}
  {{ return(columns) }}
{%- endmacro -%}

{#
  Columns of the select whose names are missing in some header. The key is not among them: a dump without it is
  refused.
#}
{%- macro _sparse_columns(job) -%}
  {%- set missing = [] -%}
  {%- for source in job.dated_sources -%}
    {%- for table in source.headers -%}{%- do missing.extend(table.missing | map('lower')) -%}{%- endfor -%}
  {%- endfor -%}
  {%- set names = [] -%}
  {%- for column in job.select_columns if not column.is_key and column.name | lower in missing -%}
    {%- do names.append(column.name) -%}
  {%- endfor -%}
  {{ return(names) }}
{%- endmacro -%}

{#
  The condition under which a row is deleted: {column, sql}. A name is a column of the select, in which null means
  false and which is not in the log. Anything else is an expression over columns, which stay in the log; column is then
  none.
#}
{%- macro _read_flag(job, columns) -%}
  {%- set flag = job.settings.delete_flag -%}
  {%- set named = [] -%}
  {%- for column in columns if column.name | lower == flag | lower -%}{%- do named.append(column) -%}{%- endfor -%}
  {%- if deltawave._whole_match('\\w+', flag) -%}
    {%- do deltawave._require_selected(job, 'delete_flag', flag, columns) -%}
  {%- endif -%}
  {%- set found = named
      or deltawave._columns_of_query('select (' ~ flag ~ ') as delete_flag from (\n' ~ job.sql ~ '\n)') -%}
  {%- if found[0].data_type != 'boolean' -%}
    {%- do deltawave._fail('flag_type', {'model': job.name, 'flag': flag, 'type': found[0].data_type}) -%}
  {%- endif -%}
  {{ return({
    'column': flag | lower if named else none,
    'sql': 'coalesce(' ~ deltawave._quoted(flag) ~ ', false)' if named else '(' ~ flag ~ ')',
  }) }}
{%- endmacro -%}

{# Refuses names in an option (one or several) that are no columns of the model's select. #}
{%- macro _require_selected(job, option, wanted, columns) -%}
  {%- set names = columns | map(attribute='name') | list -%}
  {%- for name in ([wanted] if wanted is string else wanted) if name | lower not in names | map('lower') -%}
    {%- do deltawave._fail('missing_option_column', {
      'model': job.name, 'option': option, 'column': name, 'columns': names | join(', '),
    }) -%}
  {%- endfor -%}
{%- endmacro -%}
