{#
  Lets the session see tables as they are. Iceberg's catalog shows a table as it was when the session last read it, while the text of a view is always the
  newest: rows of a batch that another process has published meanwhile would be missed.
#}
{%- macro _refresh(job, file_format, tables) -%}
  {%- for table in tables if file_format == 'iceberg' -%}
    {%- do deltawave._run(job, 'refresh table ' ~ table) -%}
  {%- endfor -%}
{%- endmacro -%}
