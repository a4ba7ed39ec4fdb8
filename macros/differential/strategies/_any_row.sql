{%- macro _any_row(job) -%}
  {{ return(deltawave._remote_any_row(job) if job.remote else 'select 1 as found from (\n' ~ job.sql ~ '\n) limit 1') }}
{%- endmacro -%}

{# A slice may be empty because nothing is new. A source without rows is an empty dump. #}
{%- macro _require_any_row(job, batch) -%}
  {%- if not job.settings.allow_empty and not deltawave._is_accepted(job) and not deltawave._run(job, deltawave._any_row(job)).rows -%}
    {%- do deltawave._refuse(job, batch, 'empty_dump', {'rows_old': batch.rows_old}) -%}
  {%- endif -%}
{%- endmacro -%}
