{#
  A select, indented for the one around it. Where a quoted name or a literal goes over lines, indenting would change it, so that
  the select stays as it is.
#}
{%- macro _indented(sql) -%}
  {%- set quoted = modules.re.findall('`[^`]*`|\'(?:[^\'\\\\]|\\\\.)*\'|"(?:[^"\\\\]|\\\\.)*"', sql, modules.re.DOTALL) -%}
  {{ return(sql if '\n' in quoted | join else sql | indent) }}
{%- endmacro -%}
