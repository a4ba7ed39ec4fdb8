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
