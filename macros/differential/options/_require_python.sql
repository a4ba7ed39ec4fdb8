{#
  Stops a model whose strategy compares in Python where the adapter runs none (stock dbt-spark), or where the strategy's function is not there or
  takes other arguments. Starts no Spark.
#}
{%- macro _require_python(model_name, strategy) -%}
  {%- if adapter.compare_in_python is not defined -%}
    {%- do deltawave._fail('python_adapter', {'model': model_name, 'function': strategy.comparison}) -%}
  {%- endif -%}
  {%- do adapter.check_library_function(strategy.comparison, deltawave._python_arguments() + strategy.options) -%}
{%- endmacro -%}

{# The names of the arguments that every such function is given; its own options follow. #}
{%- macro _python_arguments() -%}
  {{ return(['old', 'new', 'unique_key', 'columns', 'before_image']) }}
{%- endmacro -%}
