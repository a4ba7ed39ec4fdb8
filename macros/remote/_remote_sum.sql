{# The exact sum of 64-bit integers. #}
{%- macro _remote_sum(job, expression) -%}
  {{ return('sum(cast(' ~ expression ~ ' as decimal(31, 0)))' if job.remote.dialect == 'derby' else 'sum(' ~ expression ~ ')') }}
{%- endmacro -%}

{# Integers as text, with colons between them. #}
{%- macro _remote_joined(job, integers) -%}
  {{ return({
    'postgresql': 'cast(' ~ integers | join(" as text) || ':' || cast(") ~ ' as text)',
    'mysql': 'concat(cast(' ~ integers | join(" as char), ':', cast(") ~ ' as char))',
    'derby': 'trim(cast(' ~ integers | join(" as char(40))) || ':' || trim(cast(") ~ ' as char(40)))',
  }[job.remote.dialect]) }}
{%- endmacro -%}
