{# The dump of a run: the model's select and its columns. #}
{%- macro _open_dump(job, sql) -%}
  {%- if invocation_args_dict.get('sample') -%}
    {%- do deltawave._fail('sample', {'model': job.name}) -%}
  {%- endif -%}
  {%- do deltawave._check_lineage(job.name, job.settings, model) -%}
  {%- do deltawave._require_table_formats(job) -%}
  {%- if job.state_schema != job.target.schema -%}
    {%- do deltawave._run(job, 'create schema if not exists ' ~ deltawave._quoted(job.state_schema)) -%}
  {%- endif -%}
  {%- do deltawave._update(job, sql=sql) -%}
  {%- if job.settings.remote -%}
    {%- do deltawave._open_remote(job) -%}
  {%- endif -%}
  {%- do deltawave._update(job, select_columns=deltawave._dump_columns(job)) -%}
  {%- do deltawave._update(job, columns=job.select_columns) -%}
  {%- do deltawave._check_names(job) -%}
  {%- do deltawave._check_range_key(job) -%}
  {%- do deltawave._check_in_place(job) -%}
{%- endmacro -%}

{# --empty: an empty model without a batch, so that others can be built on it. An existing model is left as it is. #}
{%- macro _create_without_rows(job) -%}
  {%- if not job.view_exists -%}
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
