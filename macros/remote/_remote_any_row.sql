{# A Spark select of one row, found, if the model's select has any row at the remote; otherwise of no row. #}
{%- macro _remote_any_row(job) -%}
  {%- set first = deltawave._in_dialect(job, '_remote_first_row')() -%}
  {%- set found = deltawave._in_dialect(job, '_remote_name')('found') -%}
  {{ return('select `found` from ' ~ deltawave._remote_view(job, 'select 1 as ' ~ found ~ ' from ' ~ deltawave._remote_dump(job) ~ ' ' ~ first)) }}
{%- endmacro -%}

{%- macro postgresql___remote_first_row() -%}{{ return('limit 1') }}{%- endmacro -%}

{%- macro mysql___remote_first_row() -%}{{ return('limit 1') }}{%- endmacro -%}

{%- macro derby___remote_first_row() -%}{{ return('fetch first 1 rows only') }}{%- endmacro -%}
