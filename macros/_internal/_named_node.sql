{# The model, seed, snapshot or source (`source.table`) of that name; refuses another one, as an argument of that macro. #}
{%- macro _named_node(macro, name) -%}
  {%- set node = deltawave._find_node(name) -%}
  {%- if not node -%}
    {%- do deltawave._fail('unknown_table', {'macro': macro, 'value': name}) -%}
  {%- endif -%}
  {{ return(node) }}
{%- endmacro -%}

{# The same, or none. #}
{%- macro _find_node(name) -%}
  {%- for node in graph.nodes.values() if node.resource_type in ['model', 'seed', 'snapshot'] and node.name == name -%}
    {{ return(node) }}
  {%- endfor -%}
  {%- for node in graph.sources.values() if node.source_name ~ '.' ~ node.name == name -%}
    {{ return(node) }}
  {%- endfor -%}
  {{ return(none) }}
{%- endmacro -%}
