{# Makes ready what a run needs: the schema of its tables, and the model's select as the source. Refuses --sample. #}
{%- macro _open_wave(job, sql) -%}
  {%- do deltawave._require_wave_adapter(job.name) -%}
  {%- if invocation_args_dict.get('sample') -%}
    {%- do deltawave._fail('wave_sample', {'model': job.name}) -%}
  {%- endif -%}
  {%- if job.state_schema != job.target.schema -%}
    {%- do deltawave._run(job, 'create schema if not exists ' ~ deltawave._quoted(job.state_schema)) -%}
  {%- endif -%}
  {%- do deltawave._update(job, sql='(\n' ~ sql ~ '\n)') -%}
{%- endmacro -%}

{# Says how many days readers see, if that may be more than the window. #}
{%- macro _log_soft_window(job) -%}
  {%- set layout = deltawave._wave_layout(job.settings) -%}
  {%- set most = adapter.call_library('deltawave.wave.schemes.WaveIndex', {}, layout).longest -%}
  {%- if most > layout.window and not job.settings.clip -%}
    {%- do log(
      'deltawave: ' ~ deltawave._message('soft_window', dict(layout, model=job.name, most=most)), info=true
    ) -%}
  {%- endif -%}
{%- endmacro -%}

{# --empty, or no day yet: an empty model, so that others can be built on it. An existing one stays. #}
{%- macro _create_without_days(job) -%}
  {%- if not job.view_exists -%}
    {%- set mark = deltawave._view_mark() ~ ' ' ~ tojson({'batch_id': 0, 'attempt': job.attempt}) ~ ' */' -%}
    {#- Not the select itself, which may have a probe: the tables that it names will be dropped. -#}
    {%- set nulls = deltawave._null_columns(deltawave._columns_of(job.sql)) | join(', ') -%}
    {%- do deltawave._replace_view(job, {'select': 'select ' ~ mark ~ ' ' ~ nulls ~ ' where false'}) -%}
  {%- endif -%}
{%- endmacro -%}
