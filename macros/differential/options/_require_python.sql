{#
  Stops a model whose strategy needs Python if the adapter cannot run Python (stock dbt-spark), or if the strategy's function is missing or
  takes other arguments. Does not start Spark.
#}
{%- macro _require_python(model_name, strategy) -%}
  {%- set of_library = '.differing_pairs' if strategy.reads_log else '.differing_rows' -%}
  {%- set function = strategy.library ~ of_library if strategy.library else strategy.comparison -%}
  {%- if adapter.view_by_python is not defined -%}
    {%- do deltawave._fail('python_adapter', {'model': model_name, 'function': function}) -%}
  {%- endif -%}
  {%- set of_log = ['logged', 'logged_partitions', 'first_batch'] if strategy.reads_log else [] -%}
  {%- set of_hashes = ['kept', 'patches', 'new', 'unique_key', 'columns', 'rows'] + of_log -%}
  {%- set of_comparison = ['old', 'new', 'unique_key', 'columns', 'before_image'] -%}
  {%- set arguments = of_hashes if strategy.library else of_comparison -%}
  {%- do adapter.check_library_function(function, arguments + deltawave._options_of_function(strategy)) -%}
{%- endmacro -%}
