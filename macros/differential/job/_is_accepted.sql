{# Has the user let this run pass the guards, by --vars '{deltawave_accept: [model]}'? #}
{%- macro _is_accepted(job) -%}
  {%- set accepted = var('deltawave_accept', []) -%}
  {{ return(job.name in ([accepted] if accepted is string else accepted)) }}
{%- endmacro -%}

{# Does this run treat warnings of macros as errors, by --warn-error or --warn-error-options? #}
{%- macro _warnings_are_errors() -%}
  {%- set options = flags.WARN_ERROR_OPTIONS -%}
  {{ return(flags.WARN_ERROR or (options and options.includes('JinjaLogWarning'))) }}
{%- endmacro -%}
