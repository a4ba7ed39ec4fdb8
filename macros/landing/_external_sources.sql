{# The source tables with an external block that `select` names, by name. #}
{%- macro _external_sources(select) -%}
  {%- set known = {} -%}
  {%- for node in graph.sources.values() if node.external -%}
    {%- do known.update({node.source_name ~ '.' ~ node.name: node}) -%}
  {%- endfor -%}
  {%- if select is none -%}{{ return(known.values() | sort(attribute='unique_id')) }}{%- endif -%}

  {%- set chosen = [] -%}
  {%- for wanted in ([select] if select is string else select) -%}
    {%- set found = [] -%}
    {%- for name, node in known.items() if wanted in [name, node.source_name] -%}
      {%- do found.append(node) -%}
    {%- endfor -%}
    {%- if not found -%}
      {%- do deltawave._fail('unknown_source', {
        'macro': 'create_external_sources', 'value': wanted, 'known': known.keys() | sort | join(', ') or 'none',
      }) -%}
    {%- endif -%}
    {%- do chosen.extend(found) -%}
  {%- endfor -%}
  {{ return(chosen | unique(attribute='unique_id') | sort(attribute='unique_id')) }}
{%- endmacro -%}
