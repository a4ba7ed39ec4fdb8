{#
  A select, indented for the select around it. If a quoted name or a literal spans lines, the select stays as it is: indenting would change that
  text.
#}
{%- macro _indented(sql) -%}
  {%- set quoted = modules.re.findall('`[^`]*`|\'(?:[^\'\\\\]|\\\\.)*\'|"(?:[^"\\\\]|\\\\.)*"', sql, modules.re.DOTALL) -%}
  {{ return(sql if '\n' in quoted | join else sql | indent) }}
{%- endmacro -%}
