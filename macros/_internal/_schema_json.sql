{#
  Columns, [{name, data_type, comment}], as Spark's own JSON of a schema. Spark's catalog keeps column names in lower
  case; this form keeps their spelling.
#}
{%- macro _schema_json(columns) -%}
  {%- set fields = [] -%}
  {%- for column in columns -%}
    {%- do fields.append({
      'name': column.name, 'type': deltawave._parse_type(column.data_type), 'comment': column.comment,
    }) -%}
  {%- endfor -%}
  {{ return(tojson(deltawave._json_type({'kind': 'struct', 'fields': fields}))) }}
{%- endmacro -%}

{# A parsed type (see _parse_type) in Spark's JSON. #}
{%- macro _json_type(type) -%}
  {%- if type.kind == 'array' -%}
    {{ return({'type': 'array', 'elementType': deltawave._json_type(type.element), 'containsNull': true}) }}
  {%- elif type.kind == 'map' -%}
    {{ return({
      'type': 'map',
      'keyType': deltawave._json_type(type.key),
      'valueType': deltawave._json_type(type.value),
      'valueContainsNull': true,
    }) }}
  {%- elif type.kind == 'struct' -%}
    {%- set fields = [] -%}
    {%- for field in type.fields -%}
      {%- do fields.append({
        'name': field.name, 'type': deltawave._json_type(field.type), 'nullable': true,
        'metadata': {'comment': field.comment} if field.comment else {},
      }) -%}
    {%- endfor -%}
    {{ return({'type': 'struct', 'fields': fields}) }}
  {%- endif -%}
  {#- A view's collations are in its text. -#}
  {%- if type.name.startswith('string') -%}{{ return('string') }}{%- endif -%}
  {{ return({'int': 'integer', 'bigint': 'long', 'smallint': 'short', 'tinyint': 'byte'}.get(type.name, type.name)) }}
{%- endmacro -%}
