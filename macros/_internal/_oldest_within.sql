{#
  The earliest instant that `retain` keeps, as a text of stored instants. newest: where the span ends by the data's clock;
  by the machine's it ends when the run started.
#}
{%- macro _oldest_within(retain, newest) -%}
  {%- set count, unit = (retain['for'] if retain is mapping else retain).split(' ') -%}
  {%- set hours = {'h': 1, 'd': 24, 'w': 168}[unit[:1]] * (count | int) -%}
  {%- set now = modules.datetime.datetime.strptime(newest, '%Y-%m-%dT%H:%M:%S.%fZ') -%}
  {%- if retain is mapping and retain['clock'] == 'machine' -%}
    {%- set now = run_started_at.astimezone(modules.pytz.utc).replace(tzinfo=none) -%}
  {%- endif -%}
  {{ return((now - modules.datetime.timedelta(hours=hours)).strftime('%Y-%m-%dT%H:%M:%S.%f')[:26] ~ 'Z') }}
{%- endmacro -%}
