{#
  Stops a model whose strategy needs Python if the adapter cannot run Python (stock dbt-spark), or if the strategy's function is missing or
  takes other arguments. Does not start Spark.
#}
{%- macro _require_python(model_name, strategy) -%}
  {%- set function = strategy.library ~ '.differing_rows' if strategy.library else strategy.comparison -%}
  {%- if adapter.view_by_python is not defined -%}
    {%- do deltawave._fail('python_adapter', {'model': model_name, 'function': function}) -%}
  {%- endif -%}
  {%- set arguments = (deltawave._hash_arguments() if strategy.library else deltawave._python_arguments()) + deltawave._options_of_function(strategy) -%}
  {%- do adapter.check_library_function(function, arguments) -%}
{%- endmacro -%}

{# The names of the arguments that a comparison receives; its own options follow. #}
{%- macro _python_arguments() -%}
  {{ return(['old', 'new', 'unique_key', 'columns', 'before_image']) }}
{%- endmacro -%}

{# The names of the arguments that a library's differing_rows receives; the strategy's options follow. #}
{%- macro _hash_arguments() -%}
  {{ return(['kept', 'patches', 'new', 'unique_key', 'columns', 'rows']) }}
{%- endmacro -%}
