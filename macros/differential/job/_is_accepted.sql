{# Did the user let this one run pass the guards: --vars '{deltawave_accept: [model]}'? #}
{%- macro _is_accepted(job) -%}
  {%- set accepted = var('deltawave_accept', []) -%}
  {{ return(job.name in ([accepted] if accepted is string else accepted)) }}
{%- endmacro -%}

{# Does this run take the warnings of macros for errors: --warn-error, or --warn-error-options? #}
{%- macro _warnings_are_errors() -%}
  {%- set options = flags.WARN_ERROR_OPTIONS -%}
  {{ return(flags.WARN_ERROR or (options and options.includes('JinjaLogWarning'))) }}
{%- endmacro -%}
