{# The kinds and names of all parts of a data type: array, map, struct, and the atomic types inside them. #}
{%- macro _type_parts(data_type) -%}
  {{ return(deltawave._parts_of_type(deltawave._parse_type(data_type))) }}
{%- endmacro -%}

{%- macro _parts_of_type(type) -%}
  {%- if type.kind == 'atomic' -%}
    {{ return([type.name]) }}
  {%- endif -%}
  {%- set inner = {'array': [type.element], 'map': [type.key, type.value]}.get(type.kind) or type.fields | map(attribute='type') | list -%}
  {%- set parts = [type.kind] -%}
  {%- for part in inner -%}{%- do parts.extend(deltawave._parts_of_type(part)) -%}{%- endfor -%}
  {{ return(parts) }}
{%- endmacro -%}
