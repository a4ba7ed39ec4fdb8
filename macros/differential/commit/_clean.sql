{# Drops what the decision of `record` made superfluous: tables that neither it nor the next batch reads, and the older decision. #}
{%- macro _clean(job, batch, last, record) -%}
  {%- set names = deltawave._names_like(job, job.target.identifier ~ '__*') -%}
  {%- for side in deltawave._attempts_helpers(job, names, deltawave._attempt_kinds()) -%}
    {#- Leave tables of other attempts: their names tell the next run to drop their log rows too. -#}
    {%- set is_own = side.batch_id == batch.batch_id and side.attempt == batch.attempt -%}
    {%- if (is_own or last and deltawave._is_kept(last, side)) and not deltawave._is_kept(record, side) -%}
      {%- do deltawave._drop_table(job, deltawave._attempt_relation(job, side)) -%}
    {%- endif -%}
  {%- endfor -%}
  {%- if last -%}
    {%- do deltawave._run(job, 'drop view if exists ' ~ deltawave._commit_relation(job, last.batch_id)) -%}
  {%- endif -%}
{%- endmacro -%}

{# Does the next batch need that table, or, for a wave index, a reader? #}
{%- macro _is_kept(record, side) -%}
  {%- for kept in [record.kept, record.ranges] + (record.tables or []) if kept -%}
    {%- if (kept.kind, kept.batch_id, kept.attempt) == (side.kind, side.batch_id, side.attempt) -%}{{ return(true) }}{%- endif -%}
  {%- endfor -%}
  {{ return(false) }}
{%- endmacro -%}
