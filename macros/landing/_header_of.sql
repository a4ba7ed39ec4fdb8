{#
  The declared columns that a file's header names, in its order, as Spark's own reader finds them; none if the file is empty. A header with any other
  name is refused: a column that is not declared, a file without a header, a header that was cut.
#}
{%- macro _header_of(definition, folder, path) -%}
  {%- set options = dict(definition.options) -%}
  {%- for option in definition.options if option | lower in ['inferschema', 'pathglobfilter'] -%}{%- do options.pop(option) -%}{%- endfor -%}
  {%- set header = run_query('describe query select * from ' ~ deltawave._read_with('csv', path, options)).rows | map(attribute=0) | list -%}
  {%- set declared = {} -%}
  {%- for column in definition.columns -%}{%- do declared.update({column.name | lower: column.name}) -%}{%- endfor -%}
  {%- set names = [] -%}
  {%- set unknown = [] -%}
  {%- for name in header -%}
    {%- if name | lower in declared -%}{%- do names.append(declared[name | lower]) -%}{%- else -%}{%- do unknown.append(name) -%}{%- endif -%}
  {%- endfor -%}
  {%- if unknown -%}
    {%- do deltawave._fail('undeclared_header', {
      'source': definition.name, 'folder': folder, 'unknown': unknown | join(', '), 'example': tojson(unknown[0]), 'file': path,
      'columns': definition.columns | map(attribute='name') | join(', '),
    }) -%}
  {%- endif -%}
  {{ return(names or none) }}
{%- endmacro -%}
