{# Refuses fields of a yml block that nobody reads. dbt passes on unknown fields, and adds empty values for missing known ones. #}
{%- macro _require_known_fields(name, block, fields, known) -%}
  {%- for option, value in fields.items() if option not in known and value is not none -%}
    {%- do deltawave._fail('unknown_external_option', {'source': name, 'block': block, 'option': option, 'known': known | join(', ')}) -%}
  {%- endfor -%}
{%- endmacro -%}
