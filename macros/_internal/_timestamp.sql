{# An instant from its text in UTC (see _utc). #}
{%- macro _timestamp(text) -%}
  {{ return("timestamp '" ~ text ~ "'") }}
{%- endmacro -%}
