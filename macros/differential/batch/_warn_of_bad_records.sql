{#
  Warns of malformed records of this dump, which a format definition quarantines: their rows look deleted. Warns before
  the decision, so that a warning that dbt turns into an error leaves nothing decided.
#}
{%- macro _warn_of_bad_records(job, batch) -%}
  {%- for source in job.dated_sources if source.records -%}
    {%- set folders, records = deltawave._in_dump(job, batch, source), deltawave._is_of_dump(job, batch, source) -%}
    {%- set found = deltawave._run(job, deltawave._bad_records_of_dump(source.records, folders, records)).rows[0] -%}
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

{# The condition for the folders of this dump; true if folders do not name dates. #}
{%- macro _in_dump(job, batch, source) -%}
  {%- set conditions = [] -%}
  {%- if job.settings.snapshot_date -%}
    {%- for dump in deltawave._announced_dumps(job, source) if dump.order == deltawave._order_of_dump(job, batch) -%}
      {%- do conditions.append(
        deltawave._quoted(dump.column) ~ ' = cast(' ~ deltawave._literal(dump.folder) ~ ' as ' ~ dump.data_type ~ ')'
      ) -%}
    {%- endfor -%}
  {%- endif -%}
  {#- Without parentheses: Spark would read "where (true)" as an alias with a column. -#}
  {{ return('(' ~ conditions | unique | join(' or ') ~ ')' if conditions else 'true') }}
{%- endmacro -%}

{#
  The condition for records that contain their dates; true if they don't. A record with an unreadable date may belong
  to any dump.
#}
{%- macro _is_of_dump(job, batch, source) -%}
  {%- for field in source.records.format.fields if field.name | lower == (job.settings.snapshot_date or '') | lower -%}
    {%- set value = '`_values`.`' ~ source.records.format.fields.index(field) ~ '`' -%}
    {%- if job.settings.snapshot_order -%}
      {%- set of_dump = deltawave._literal(batch.snapshot_date) ~ ' as ' ~ job.snapshot_type ~ ')' -%}
      {{ return(
        'coalesce(try_cast(cast(' ~ value ~ ' as string) as ' ~ job.snapshot_type ~ ') = cast(' ~ of_dump ~ ', true)'
      ) }}
    {%- endif -%}
    {%- set value = 'cast(' ~ value ~ ' as ' ~ job.snapshot_type ~ ')' -%}
    {{ return(
      'coalesce(' ~ deltawave._utc_text(deltawave._instant(job, value)) ~ ' = ' ~ deltawave._literal(batch.batch_at)
      ~ ', true)'
    ) }}
  {%- endfor -%}
  {{ return('true') }}
{%- endmacro -%}
