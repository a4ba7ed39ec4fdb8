{# Every second model is no small table, so that kills also meet copies without the key's hash, and first logs that DuckDB writes from them. #}
{%- macro default___small_table() -%}
  {{ return({'rows': -1, 'bytes': 0} if model.name[-1] in '13579' else deltawave.default___small_table()) }}
{%- endmacro -%}
