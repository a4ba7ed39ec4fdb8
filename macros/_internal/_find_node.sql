{#
  The node of one of these types that an argument of that macro names, or none: a source as `source.table`, others as
  `name` or `package.name`. Of a model with versions the latest has its name alone, as ref takes it, and each is
  `name.v1` or `package.name.v1`. Refuses a name that several packages have.
#}
{%- macro _find_node(macro_name, name, types=['source', 'model', 'seed', 'snapshot']) -%}
  {%- if 'source' in types -%}
    {%- for node in graph.sources.values() if node.source_name ~ '.' ~ node.name == name -%}
      {{ return(node) }}
    {%- endfor -%}
  {%- endif -%}
  {%- set found = {} -%}
  {%- for node in graph.nodes.values() if node.resource_type in types -%}
    {%- set version = node.get('version') -%}
    {%- set own_names = [node.name] if version == node.get('latest_version') else [] -%}
    {%- set own_names = own_names + ([node.name ~ '.v' ~ version] if version is not none else []) -%}
    {%- for own_name in own_names if name in [own_name, node.package_name ~ '.' ~ own_name] -%}
      {%- do found.update({node.package_name ~ '.' ~ own_name: node}) -%}
    {%- endfor -%}
  {%- endfor -%}
  {%- if found | length > 1 -%}
    {%- do deltawave._fail('ambiguous_name', {
      'macro': macro_name, 'value': name, 'names': found.keys() | join(', '),
    }) -%}
  {%- endif -%}
  {{ return(found.values() | first if found else none) }}
{%- endmacro -%}

{# The model of that name, as `_find_node` takes it; refuses another one, as an argument of that macro. #}
{%- macro _model_node(macro_name, model_name) -%}
  {%- set node = deltawave._find_node(macro_name, model_name, ['model']) -%}
  {%- if not node -%}
    {%- do deltawave._fail('unknown_model', {'macro': macro_name, 'value': model_name}) -%}
  {%- endif -%}
  {{ return(node) }}
{%- endmacro -%}

{# The model, seed, snapshot or source of that name, as `_find_node` takes it; refuses other arguments of that macro. #}
{%- macro _named_node(macro_name, name) -%}
  {%- set node = deltawave._find_node(macro_name, name) -%}
  {%- if not node -%}
    {%- do deltawave._fail('unknown_table', {'macro': macro_name, 'value': name}) -%}
  {%- endif -%}
  {{ return(node) }}
{%- endmacro -%}
