{#
  Those of the models `also` that are wave indices which were made of a log, directly or through other models, and have
  its key: [{job, record}]. key: of the log, as _key_of returns it.
#}
{%- macro _waves_after(log, key, also) -%}
  {%- set waves = [] -%}
  {%- for node in deltawave._nodes_after(log.unique_id) if node.name in also and deltawave._has_session() -%}
    {%- set relation = deltawave._relation(node.schema, node.alias) -%}
    {%- if node.config.materialized == 'wave_index' and deltawave._in_catalog(relation) -%}
      {%- set job = deltawave._open_job(
        node.name, deltawave._wave_settings(node.name, node.config), relation, 'wave_index'
      ) -%}
      {%- set record = deltawave._recover(job).record -%}
      {%- set columns = [] -%}
      {%- for name, type in (deltawave._wave_in(record.select).spec.columns if record else []) -%}
        {%- do columns.append({'name': name, 'data_type': type}) -%}
      {%- endfor -%}
      {%- if deltawave._has_key(key, columns) -%}
        {%- do waves.append({'job': job, 'record': record}) -%}
      {%- endif -%}
    {%- endif -%}
  {%- endfor -%}
  {{ return(waves) }}
{%- endmacro -%}

{# Can the library be called, with relations? What needs it is left as it is otherwise, and named. #}
{%- macro _has_session() -%}{{ return(adapter.call_library is defined and adapter.runs_python()) }}{%- endmacro -%}

{# Erases from wave indices. Returns the models' names. #}
{%- macro _erase_from_waves(waves, subject) -%}
  {%- for wave in waves -%}
    {%- do deltawave._erase_from_wave(wave, subject) -%}
  {%- endfor -%}
  {{ return(waves | map(attribute='job') | map(attribute='name') | list) }}
{%- endmacro -%}

{#
  Writes the days that have such rows without them, as a transition of its own, which also drops what earlier ones have
  replaced: a query that still reads it fails. The rows of the other days are those of the index, so the source need not
  have them.
#}
{%- macro _erase_from_wave(wave, subject) -%}
  {%- set job, last = wave.job, wave.record -%}
  {%- set spec = deltawave._wave_in(last.select).spec -%}
  {#- As the index is, whatever the options say since. -#}
  {%- do job.settings.update(
    update_technique=spec.technique, buckets=spec.buckets, clip=spec.clip, day_column=spec.day_column,
    search_field=spec.search_field, **spec.index
  ) -%}
  {%- set rows = deltawave._in_parentheses('select * from ' ~ job.target) -%}
  {%- set found = adapter.call_library('deltawave.wave.erasing.erasure', {'dump': rows}, {
    'record': deltawave._wave_in(last.select), 'condition': subject,
  }) -%}
  {%- do deltawave._update(job, sql=found.source) -%}
  {%- set record = deltawave._make_step(job, last, found.work, false, []) -%}
  {#- The tables before are dropped, and the next statements read none of them. -#}
  {%- do deltawave._update(job, sql=rows) -%}
  {%- do deltawave._sweep_parts(job, record, last) -%}
  {%- do deltawave._drop_leftovers(job, record) -%}
{%- endmacro -%}
