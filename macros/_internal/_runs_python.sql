{# Does dbt run Python in the process that has the session? #}
{%- macro _runs_python() -%}{{ return(adapter.runs_python is defined and adapter.runs_python()) }}{%- endmacro -%}

{#
  The macro that dispatch finds under a name. The parser of dbt 1 inspects calls of adapter.dispatch and allows only
  literals there, but not under another name; dbt 2 calls methods of the adapter only where they are looked up.
#}
{%- macro _macro_named(name) -%}
  {%- set of_adapter = adapter -%}
  {{ return(of_adapter.dispatch(name, 'deltawave')) }}
{%- endmacro -%}
