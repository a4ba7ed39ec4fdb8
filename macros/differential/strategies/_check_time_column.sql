{# Refuses an updated_at column that is neither a time nor a counter, or that contradicts an option for the other kind. #}
{%- macro _check_time_column(job, column) -%}
  {%- set is_counter = modules.re.fullmatch('(tiny|small|big)?int|decimal\\(\\d+,0\\)', column.data_type) -%}
  {%- if column.data_type not in ['timestamp', 'timestamp_ntz', 'date'] and not is_counter -%}
    {%- do deltawave._fail('time_type', {'model': job.name, 'column': column.name, 'type': column.data_type}) -%}
  {%- endif -%}
  {%- if job.settings.overlap is string and is_counter or job.settings.overlap is integer and job.settings.overlap and not is_counter -%}
    {%- do deltawave._fail('overlap_type', {
      'model': job.name, 'column': column.name, 'type': column.data_type, 'overlap': job.settings.overlap,
    }) -%}
  {%- endif -%}
  {%- if job.settings.future_timestamp == 'fail' and is_counter -%}
    {%- do deltawave._fail('future_counter', {'model': job.name, 'column': column.name, 'type': column.data_type}) -%}
  {%- endif -%}
{%- endmacro -%}
