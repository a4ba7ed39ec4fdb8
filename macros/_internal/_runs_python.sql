{# Does dbt run Python in the process that has the session? #}
{%- macro _runs_python() -%}{{ return(adapter.runs_python is defined and adapter.runs_python()) }}{%- endmacro -%}
