{#
  Stops a model whose strategy compares in Python if the adapter cannot run Python (stock dbt-spark), or if the strategy's function is missing or
  takes other arguments. Does not start Spark.
#}
{%- macro _require_python(model_name, strategy) -%}
  {%- if adapter.compare_in_python is not defined -%}
    {%- do deltawave._fail('python_adapter', {'model': model_name, 'function': strategy.comparison}) -%}
  {%- endif -%}
  {%- do adapter.check_library_function(strategy.comparison, deltawave._python_arguments() + strategy.options) -%}
{%- endmacro -%}

{# The names of the arguments that every such function receives; its own options follow. #}
{%- macro _python_arguments() -%}
  {{ return(['old', 'new', 'unique_key', 'columns', 'before_image']) }}
{%- endmacro -%}
