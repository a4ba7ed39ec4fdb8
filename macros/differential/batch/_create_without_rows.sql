{# --empty: an empty model without a batch, so that others can be built on it. An existing model is left as it is. #}
{%- macro _create_without_rows(job) -%}
  {%- if not job.view_exists -%}
    {%- set columns = [] -%}
    {%- for column in job.columns -%}
      {%- do columns.append(deltawave._compared_column(job.settings, column, false, true)) -%}
    {%- endfor -%}
    {%- do deltawave._create_log(job, deltawave._helper_relation(job, deltawave._generation_log(1)), columns) -%}
    {%- do deltawave._replace_view(job, {
      'batch_id': 0, 'attempt': job.attempt, 'log': deltawave._generation_log(1), 'first_batch': 1, 'columns': columns,
      'has_before': job.settings.before_image != 'none',
    }) -%}
  {%- endif -%}
{%- endmacro -%}
