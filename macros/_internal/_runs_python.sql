{# Does dbt run Python in the process that has the session? #}
{%- macro _runs_python() -%}{{ return(adapter.runs_python is defined and adapter.runs_python()) }}{%- endmacro -%}

{# The macro that dispatch finds under a name. dbt's parser inspects direct calls of adapter.dispatch and allows only literals there. #}
{%- macro _macro_named(name) -%}
  {%- set dispatch = adapter.dispatch -%}
  {{ return(dispatch(name, 'deltawave')) }}
{%- endmacro -%}
