{#
  Warns of records of this dump that a format definition has set aside, as their rows look deleted. Like other warnings before the decision, so that one
  that dbt turns into an error leaves nothing decided.
#}
{%- macro _warn_of_bad_records(job, batch) -%}
  {%- for source in job.dated_sources if source.records -%}
    {%- set sql = deltawave._bad_records_of_folder(source.records, deltawave._in_dump(job, batch, source)) -%}
    {%- set found = deltawave._run(job, sql).rows[0] -%}
    {%- if found[0] | int -%}
      {%- do exceptions.warn(deltawave._message('bad_records', {
        'model': job.name,
        'batch': batch.label,
        'source': source.name,
        'count': found[0],
        'example': found[1],
        'quarantine': source.records.quarantine | string,
      })) -%}
    {%- endif -%}
  {%- endfor -%}
{%- endmacro -%}

{# The condition for the folders of this dump; true where no folder tells dates. #}
{%- macro _in_dump(job, batch, source) -%}
  {%- set conditions = [] -%}
  {%- if job.settings.snapshot_date -%}
    {%- for dump in deltawave._announced_dumps(job, source, '') if dump.batch_at == batch.batch_at -%}
      {%- do conditions.append(deltawave._quoted(dump.column) ~ ' = cast(' ~ deltawave._literal(dump.folder) ~ ' as ' ~ dump.data_type ~ ')') -%}
    {%- endfor -%}
  {%- endif -%}
  {{ return('(' ~ (conditions | unique | join(' or ') or 'true') ~ ')') }}
{%- endmacro -%}
