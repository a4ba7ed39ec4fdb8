{#
  What a dump is ordered and recognized by: the instant of its date or, with snapshot_order, its number or text. Python
  compares text by code points, and Spark by bytes of UTF-8: that is the same order.
#}
{%- macro _order_of_dump(job, dump) -%}
  {{ return(deltawave._order_of_value(job, dump.snapshot_date) if job.settings.snapshot_order else dump.batch_at) }}
{%- endmacro -%}

{# The same for a value of snapshot_date that was recorded as text. #}
{%- macro _order_of_value(job, value) -%}
  {{ return(value | int if job.settings.snapshot_order == 'number' else value) }}
{%- endmacro -%}

{# The time of a dump, an expression of text: its date or, with snapshot_order, the start of the run. #}
{%- macro _time_of_dump(job, column) -%}
  {%- if job.settings.snapshot_order -%}{{ return(deltawave._literal(deltawave._utc(run_started_at))) }}{%- endif -%}
  {{ return(deltawave._utc_text(deltawave._instant(job, column))) }}
{%- endmacro -%}

{# Refuses a column that snapshot_order can't order. Dates are checked where they are converted, by _instant. #}
{%- macro _check_snapshot_order(job) -%}
  {%- set ordered = {
    'number': {'types': '(tiny|small|big)?int|decimal\\(\\d+,0\\)', 'is': 'a whole number'},
    'text': {'types': 'string|(var)?char\\(\\d+\\)', 'is': 'text'},
  }.get(job.settings.snapshot_order) -%}
  {%- if ordered and not deltawave._whole_match(ordered.types, job.snapshot_type) -%}
    {%- do deltawave._fail('snapshot_order_type', {
      'model': job.name, 'column': job.settings.snapshot_date, 'type': job.snapshot_type,
      'order': job.settings.snapshot_order,
      'allowed': ordered.is,
    }) -%}
  {%- endif -%}
{%- endmacro -%}

{#
  Can a partition column name dumps? Any text could, and many a number: with snapshot_order only the column of that
  name does.
#}
{%- macro _names_dumps(job, column) -%}
  {%- if not job.settings.snapshot_order -%}
    {{ return(modules.re.match('(?:date|timestamp|string|char|varchar)', column.data_type) is not none) }}
  {%- endif -%}
  {%- set is_castable = modules.re.match(
    '(?:(tiny|small|big)?int|decimal|string|char|varchar)', column.data_type
  ) is not none -%}
  {{ return(is_castable and column.name | lower == job.settings.snapshot_date | lower) }}
{%- endmacro -%}
