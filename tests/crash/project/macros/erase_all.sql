{# Erases a key from several models, one after the other. #}
{%- macro erase_all(models, key) -%}
  {%- for model in models -%}{%- do deltawave.erase(model, keys=[key]) -%}{%- endfor -%}
{%- endmacro -%}
