{# The formats of legacy files, whose records a format definition describes (LG96 6); all others are Spark's formats. #}
{%- macro _record_formats() -%}{{ return(['fixed_width', 'delimited']) }}{%- endmacro -%}

{%- macro _has_records(external) -%}
  {{ return((external.file_format or external.using or '') | string | lower in deltawave._record_formats()) }}
{%- endmacro -%}
