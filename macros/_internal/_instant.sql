{# A date, a date string or a timestamp as an instant: a day begins at midnight UTC, whatever the session's zone. #}
{%- macro _instant(job, expression) -%}
  {%- if job.snapshot_type == 'timestamp' -%}
    {{ return(expression) }}
  {%- elif job.snapshot_type in ['date', 'string', 'timestamp_ntz']
      or job.snapshot_type.startswith(('char', 'varchar')) -%}
    {{ return(
      'try_to_timestamp(cast(try_cast(' ~ expression
      ~ " as timestamp_ntz) as string) || ' UTC', 'yyyy-MM-dd HH:mm:ss[.SSSSSS][.SSSSS][.SSSS][.SSS][.SS][.S] VV')"
    ) }}
  {%- else -%}
    {%- do deltawave._fail('snapshot_date_type', {
      'model': job.name, 'column': job.settings.snapshot_date, 'type': job.snapshot_type,
    }) -%}
  {%- endif -%}
{%- endmacro -%}

{# The same instant as text, yyyy-MM-ddTHH:mm:ss.SSSSSSZ, which sorts in time order. #}
{%- macro _utc_text(instant) -%}{{ return(deltawave._instant_format(deltawave._utc_time(instant))) }}{%- endmacro -%}

{#
  The UTC wall-clock time of an instant, as a timestamp_ntz. Computed by adding, not by converting: to_utc_timestamp
  and date_format go through the session's time zone, which skips an hour in spring. Not by timestampadd, which takes an
  int in Spark 3.5.
#}
{%- macro _utc_time(instant) -%}
  {%- set seconds = 'cast(unix_micros(' ~ instant ~ ') as decimal(20, 0)) / 1000000' -%}
  {{ return(
    "(timestamp_ntz '1970-01-01 00:00:00' + make_dt_interval(0, 0, 0, cast(" ~ seconds ~ ' as decimal(18, 6))))'
  ) }}
{%- endmacro -%}

{%- macro _instant_format(time_in_utc) -%}
  {{ return("concat(replace(" ~ deltawave._clock_text(time_in_utc) ~ ", ' ', 'T'), 'Z')") }}
{%- endmacro -%}

{# A timestamp_ntz as yyyy-MM-dd HH:mm:ss.SSSSSS; a cast would drop trailing zeros. #}
{%- macro _clock_text(time) -%}
  {%- set text = 'cast(' ~ time ~ ' as string)' -%}
  {{ return('rpad(concat(' ~ text ~ ', if(length(' ~ text ~ ") = 19, '.', '')), 26, '0')") }}
{%- endmacro -%}

{# A Python datetime with a time zone, as the same text. #}
{%- macro _utc(moment) -%}
  {#- Six digits of the second: dbt 2 writes nine. -#}
  {{ return(moment.astimezone(modules.pytz.utc).strftime('%Y-%m-%dT%H:%M:%S.%f')[:26] ~ 'Z') }}
{%- endmacro -%}

{# An instant from its text in UTC (see _utc). #}
{%- macro _timestamp(text) -%}{{ return("timestamp '" ~ text ~ "'") }}{%- endmacro -%}
