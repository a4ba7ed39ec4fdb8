{# A name as the database quotes it. #}
{%- macro postgresql___remote_name(name) -%}
  {{ return('"' ~ name | string | replace('"', '""') ~ '"') }}
{%- endmacro -%}

{%- macro mysql___remote_name(name) -%}
  {{ return('`' ~ name | string | replace('`', '``') ~ '`') }}
{%- endmacro -%}

{%- macro derby___remote_name(name) -%}
  {{ return('"' ~ name | string | replace('"', '""') ~ '"') }}
{%- endmacro -%}
