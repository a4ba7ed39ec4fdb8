{# The source of a run: the model's select. #}
{%- macro _open_days(job, sql) -%}
  {%- if adapter.compare_in_python is not defined or not adapter.runs_python() -%}
    {%- do deltawave._fail('wave_adapter', {'model': job.name}) -%}
  {%- endif -%}
  {%- if invocation_args_dict.get('sample') -%}
    {%- do deltawave._fail('wave_sample', {'model': job.name}) -%}
  {%- endif -%}
  {%- if job.settings.scheme == 'wata' and not job.settings.clip -%}
    {%- set window, others = job.settings.window, job.settings.constituents - 1 -%}
    {#- Theorem 2. -#}
    {%- set most = window + (window - 2) // others -%}
    {%- if most > window -%}
      {%- set values = {'model': job.name, 'scheme': job.settings.scheme, 'window': window, 'most': most} -%}
      {%- do log('deltawave: ' ~ deltawave._message('soft_window', values), info=true) -%}
    {%- endif -%}
  {%- endif -%}
  {%- if job.state_schema != job.target.schema -%}
    {%- do deltawave._run(job, 'create schema if not exists ' ~ deltawave._quoted(job.state_schema)) -%}
  {%- endif -%}
  {%- do deltawave._update(job, sql='(\n' ~ sql ~ '\n)') -%}
{%- endmacro -%}

{# --empty, or no day yet: an empty model without a day, so that others can be built on it. An existing model is left as it is. #}
{%- macro _create_without_days(job) -%}
  {%- if not job.view_exists -%}
    {%- set mark = deltawave._view_mark() ~ ' ' ~ tojson({'batch_id': 0, 'attempt': job.attempt}) ~ ' */' -%}
    {#- Not the select itself, which may have a probe: the tables that it names will be dropped. -#}
    {%- set columns = [] -%}
    {%- for column in deltawave._columns_of_query('select * from ' ~ job.sql) -%}
      {%- do columns.append('cast(null as ' ~ column.data_type ~ ') as ' ~ deltawave._quoted(column.name)) -%}
    {%- endfor -%}
    {%- do deltawave._replace_view(job, {'select': 'select ' ~ mark ~ ' ' ~ columns | join(', ') ~ ' where false'}) -%}
  {%- endif -%}
{%- endmacro -%}

{# The result of a function of deltawave.wave.door: rows of {kind, text}. #}
{%- macro _ask_library(job, batch, function, options) -%}
  {%- set settings = {} -%}
  {%- for option in deltawave._wave_options() -%}{%- do settings.update({option: job.settings[option]}) -%}{%- endfor -%}
  {%- set view = deltawave._view_by_python(
    job, batch, 'deltawave.wave.door.' ~ function, {'dump': job.sql}, dict(options, settings=settings), 'wave'
  ) -%}
  {%- set found = [] -%}
  {%- for row in deltawave._run(job, 'select kind, text from ' ~ view ~ ' order by place').rows -%}
    {%- do found.append({'kind': row[0] | string, 'text': row[1] | string}) -%}
  {%- endfor -%}
  {{ return(found) }}
{%- endmacro -%}
