{# Remembers the type of the time-stamps: a time, or a counter that only grows. #}
{%- macro _take_time(job, column) -%}
  {%- if column.name | lower == (job.settings.updated_at or '') | lower -%}
    {%- set is_counter = modules.re.fullmatch('(tiny|small|big)?int|decimal\\(\\d+,0\\)', column.data_type) -%}
    {%- if column.data_type not in ['timestamp', 'timestamp_ntz', 'date'] and not is_counter -%}
      {%- do deltawave._fail('time_type', {'model': job.name, 'column': column.name, 'type': column.data_type}) -%}
    {%- endif -%}
    {%- if job.settings.overlap is string and is_counter or job.settings.overlap is integer and job.settings.overlap and not is_counter -%}
      {%- do deltawave._fail('overlap_type', {
        'model': job.name, 'column': column.name, 'type': column.data_type, 'overlap': job.settings.overlap,
      }) -%}
    {%- endif -%}
    {%- do job.update(time_type=column.data_type) -%}
  {%- endif -%}
{%- endmacro -%}

{%- macro _check_flag(job, column) -%}
  {%- if column.data_type != 'boolean' -%}
    {%- do deltawave._fail('flag_type', {'model': job.name, 'column': column.name, 'type': column.data_type}) -%}
  {%- endif -%}
{%- endmacro -%}
