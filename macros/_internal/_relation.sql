{# A relation, quoted: its name may hold any character. #}
{%- macro _relation(schema, identifier) -%}
  {{ return(api.Relation.create(schema=schema, identifier=identifier).quote(schema=true, identifier=true)) }}
{%- endmacro -%}
