{# The macro that dispatch finds under a name. dbt's parser reads direct calls of adapter.dispatch, and takes literals alone there. #}
{%- macro _macro_named(name) -%}
  {%- set dispatch = adapter.dispatch -%}
  {{ return(dispatch(name, 'deltawave')) }}
{%- endmacro -%}
