{# Drops what the decision of `record` made superfluous: tables that neither it nor the next batch reads, and the older decision. #}
{%- macro _clean(job, batch, last, record) -%}
  {%- set names = deltawave._names_like(job, job.target.identifier ~ '__*') -%}
  {%- for side in deltawave._attempts_helpers(job, names, deltawave._attempt_kinds()) -%}
    {#- Leave tables of other attempts: their names tell the next run to drop their log rows too. -#}
    {%- if (deltawave._is_own(batch, side) or last and deltawave._is_kept(last, side)) and not deltawave._is_kept(record, side) -%}
      {%- do deltawave._drop_table(job, deltawave._attempt_relation(job, side)) -%}
    {%- endif -%}
  {%- endfor -%}
  {%- if last -%}
    {%- do deltawave._run(job, 'drop view if exists ' ~ deltawave._commit_relation(job, last.batch_id)) -%}
  {%- endif -%}
{%- endmacro -%}

{# Does the next batch, or a reader, need that table? #}
{%- macro _is_kept(record, side) -%}
  {%- for table in record.tables -%}
    {%- if (table.kind, table.batch_id, table.attempt) == (side.kind, side.batch_id, side.attempt) -%}{{ return(true) }}{%- endif -%}
  {%- endfor -%}
  {{ return(false) }}
{%- endmacro -%}
