{#
  Which text column of a landed row has U+FFFD, as SQL; empty unless the select reads CSV files that declare no
  encoding. Spark reads that character in place of bytes that are no UTF-8, so that different texts become equal, and
  an update is missed. It refuses such bytes itself in JSON and XML.
#}
{%- macro _undecoded_column(job, batch) -%}
  {%- if not deltawave._undeclared_encodings(job) or deltawave._is_accepted(job) -%}{{ return('') }}{%- endif -%}
  {%- set cases = [] -%}
  {%- for column in deltawave._landed_columns(job, batch)
      if modules.re.match('(?:string|(var)?char\\()', column.data_type) -%}
    {%- do cases.append(
      'when contains(' ~ deltawave._quoted(column.name) ~ ", '\\ufffd') then " ~ deltawave._literal(column.name)
    ) -%}
  {%- endfor -%}
  {{ return('case ' ~ cases | join(' ') ~ ' end' if cases else '') }}
{%- endmacro -%}

{# The CSV sources that the select reads, directly or through views, and of which no encoding is declared. #}
{%- macro _undeclared_encodings(job) -%}
  {%- set names = [] -%}
  {%- for source in ([] if job.remote else job.sources) if source.is_read -%}
    {%- set external = source.node.external -%}
    {%- set options = (external.options or {}).keys() | map('lower') | list -%}
    {%- if (external.file_format or external.using) | lower == 'csv' and 'encoding' not in options
        and 'charset' not in options -%}
      {%- do names.append(deltawave._external_name(source.node)) -%}
    {%- endif -%}
  {%- endfor -%}
  {{ return(names) }}
{%- endmacro -%}
