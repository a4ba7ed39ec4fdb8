{# A name as the database quotes it. #}
{%- macro _remote_name(job, name) -%}
  {%- set quote = '`' if job.remote.dialect == 'mysql' else '"' -%}
  {{ return(quote ~ name | string | replace(quote, quote * 2) ~ quote) }}
{%- endmacro -%}
