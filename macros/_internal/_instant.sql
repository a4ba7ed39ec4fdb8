{# An expression of a date, a date string or a time-stamp as an instant: a day begins at midnight UTC, whatever the session's time zone. #}
{%- macro _instant(job, expression) -%}
  {%- if job.snapshot_type == 'timestamp' -%}
    {{ return(expression) }}
  {%- elif job.snapshot_type in ['date', 'string', 'timestamp_ntz'] or job.snapshot_type.startswith(('char', 'varchar')) -%}
    {{ return('try_to_timestamp(cast(try_cast(' ~ expression ~ " as timestamp_ntz) as string) || ' UTC', 'yyyy-MM-dd HH:mm:ss[.SSSSSS][.SSSSS][.SSSS][.SSS][.SS][.S] VV')") }}
  {%- else -%}
    {%- do deltawave._fail('snapshot_date_type', {'model': job.name, 'column': job.settings.snapshot_date, 'type': job.snapshot_type}) -%}
  {%- endif -%}
{%- endmacro -%}

{# The same instant as text, yyyy-MM-ddTHH:mm:ss.SSSSSSZ, in an order that text keeps. #}
{%- macro _utc_text(instant) -%}
  {{ return(deltawave._instant_format('to_utc_timestamp(' ~ instant ~ ', current_timezone())')) }}
{%- endmacro -%}

{%- macro _instant_format(time_in_utc) -%}
  {{ return("date_format(" ~ time_in_utc ~ ", \"yyyy-MM-dd'T'HH:mm:ss.SSSSSS'Z'\")") }}
{%- endmacro -%}

{# A Python datetime that is aware of its zone, as the same text. #}
{%- macro _utc(moment) -%}
  {{ return(moment.astimezone(modules.pytz.utc).strftime('%Y-%m-%dT%H:%M:%S.%fZ')) }}
{%- endmacro -%}
